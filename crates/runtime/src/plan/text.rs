//! A plan for people. It is read from its JSON form, because that is what approvals record.

use std::borrow::Cow;

use serde_json::Value;

/// Longer lists of paths are truncated.
const MAX_PATHS: usize = 12;
/// Longer standard input is truncated, in bytes.
const MAX_INPUT: usize = 4 * 1024;
/// The width of the labels.
const LABEL: usize = 10;

/// What a call would do: its program, or its steps with a number each. The argument is the JSON of a
/// [`crate::Plan`].
pub fn render_plan(plan: &Value) -> String {
    if let Some(steps) = plan["steps"].as_array() {
        let steps = steps.iter().enumerate().map(|(index, step)| render_step(index + 1, step));
        return steps.collect::<Vec<_>>().join("\n");
    }
    if plan.get("argv").is_none() {
        return render_line("arguments", &plan["arguments"].to_string());
    }
    render_command(plan)
}

fn render_step(number: usize, step: &Value) -> String {
    let mut title = format!("{number}. {}", step["tool"].as_str().unwrap_or_default());
    if let Some(why) = step["skipped"].as_str() {
        title.push_str(&format!(": skipped, {why}"));
    }
    if let Some(why) = step["problem"].as_str() {
        title.push_str(&format!(": cannot be planned now: {why}"));
    }
    let inner = render_plan(step.get("plan").unwrap_or(step));
    let inner: Vec<_> = inner.lines().map(|line| format!("\n   {line}")).collect();
    format!("{title}{}", inner.concat())
}

fn render_command(plan: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let sandbox = &plan["confinement"];
    let mut lines = vec![
        ("runs", join(&plan["argv"], quote_word)),
        ("program", text(&plan["program"])),
        ("in", text(&plan["cwd"])),
        ("variables", join(&plan["env"], |name| name.into())),
        ("input", plan["stdin"].as_str().map_or("none".to_owned(), truncate_input)),
        ("at most", format!("{} seconds", plan["timeout_seconds"])),
    ];
    if sandbox["enforced"] == true {
        let network = if sandbox["network"] == true { "yes" } else { "no" };
        lines.extend([
            ("reads", format!("{}, and system folders", join_paths(&sandbox["read"]))),
            ("writes", join_paths(&sandbox["write"])),
            ("network", network.to_owned()),
        ]);
    } else {
        lines.push(("sandbox", "off: it can read, write and reach everything you can".to_owned()));
    }
    let lines: Vec<_> = lines.iter().map(|(label, value)| render_line(label, value)).collect();
    lines.join("\n")
}

/// A label and its value. Continuation lines are indented, so that a value cannot look like a line of
/// the plan.
fn render_line(label: &str, value: &str) -> String {
    let value = value.replace('\n', &format!("\n{:LABEL$} ", ""));
    format!("{label:<LABEL$} {value}").trim_end().to_owned()
}

fn join(list: &Value, render: fn(&str) -> Cow<'_, str>) -> String {
    let words = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    words.map(render).collect::<Vec<_>>().join(" ")
}

fn join_paths(list: &Value) -> String {
    let paths: Vec<_> = list.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if paths.is_empty() {
        return "nothing".to_owned();
    }
    let shown: Vec<_> = paths.iter().take(MAX_PATHS).map(|path| quote_word(path)).collect();
    let more = paths.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(" "))
}

fn truncate_input(text: &str) -> String {
    if text.len() <= MAX_INPUT {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_INPUT);
    format!("{}…\n({} bytes in all)", &text[..end], text.len())
}

/// A word as one would type it in a shell.
pub fn quote_word(word: &str) -> Cow<'_, str> {
    // `shlex` also quotes some characters that are literal inside of a word, such as `=`; command lines
    // are easier to read without.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    // Only a NUL byte cannot be quoted, and plans have none.
    shlex::try_quote(word).unwrap_or(Cow::Borrowed(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::render_plan;

    fn command() -> serde_json::Value {
        json!({
            "version": 1,
            "tool": "find",
            "program": "/usr/bin/find",
            "argv": ["find", "--name=a b", "it's", "new\nnetwork    yes"],
            "cwd": "/crib",
            "env": ["PATH", "TMPDIR"],
            "stdin": "one\nprogram    /bin/true",
            "timeout_seconds": 30,
            "confinement": {"enforced": true, "network": false, "read": ["/crib"], "write": []},
        })
    }

    #[test]
    fn indents_values_so_that_they_cannot_pass_as_lines() {
        let expected = "\
runs       find '--name=a b' \"it's\" 'new
           network    yes'
program    /usr/bin/find
in         /crib
variables  PATH TMPDIR
input      one
           program    /bin/true
at most    30 seconds
reads      /crib, and system folders
writes     nothing
network    no";
        assert_eq!(render_plan(&command()), expected);
    }

    #[test]
    fn says_if_there_is_no_sandbox() {
        let mut plan = command();
        plan["confinement"]["enforced"] = json!(false);
        let text = render_plan(&plan);
        assert!(text.ends_with("sandbox    off: it can read, write and reach everything you can"));
    }

    #[test]
    fn numbers_steps_and_shows_what_a_skipped_one_would_do() {
        let native = json!({"version": 1, "tool": "note", "arguments": {"text": "x"}});
        let inner = json!({"steps": [{"tool": "note", "plan": native}]});
        let plan = json!({"steps": [
            {"tool": "note", "skipped": "because `done` exists", "plan": native},
            {"tool": "inner", "plan": inner},
            {"tool": "absent", "problem": "it is not installed", "arguments": {}},
        ]});
        let expected = "\
1. note: skipped, because `done` exists
   arguments  {\"text\":\"x\"}
2. inner
   1. note
      arguments  {\"text\":\"x\"}
3. absent: cannot be planned now: it is not installed
   arguments  {}";
        assert_eq!(render_plan(&plan), expected);
    }
}

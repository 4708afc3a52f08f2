//! A plan for people. It is read from its JSON form, because that is what approvals record.
//!
//! Forms of clients, `toolcrib approve` and `call --dry-run` all use this renderer, so that no way to
//! ask shows less than another.

use std::path::Path;

use serde_json::Value;

use super::escape::{escape_controls, quote_word};
use crate::{Approval, digest::value_digest};

/// Longer lists of paths are truncated, unless all is shown.
const MAX_PATHS: usize = 12;
/// Longer values are truncated, in bytes, unless all is shown.
const MAX_VALUE: usize = 4 * 1024;
/// How many digits of a digest are shown. Enough to compare; nothing is looked up by it.
const DIGEST_DIGITS: usize = 16;
/// The width of the labels.
const LABEL: usize = 10;
/// Narrower terminals get lines that are too long.
const MIN_WIDTH: usize = 40;

/// How a plan is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rendering {
    /// How much of long values is shown.
    pub detail: Detail,
    /// How command lines are emphasized.
    pub emphasis: Emphasis,
    /// The width of requests for approval, in columns, if it is known. If a terminal broke longer lines, the
    /// value of an argument could continue at the start of a line and look like a line of the plan.
    pub width: Option<usize>,
}

/// How much of long values is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Their beginning, with size and digest.
    #[default]
    Brief,
    /// Everything.
    Full,
}

/// How command lines are emphasized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emphasis {
    /// By their place: they come first.
    #[default]
    None,
    /// By the escape sequences of terminals.
    Bold,
}

/// The question to a person: exactly what would be done, and why it is asked.
pub fn render_request(approval: &Approval, rendering: Rendering) -> String {
    let Approval { tool, reason, plan, .. } = approval;
    let why = format!("`{tool}` asks for your approval: {reason}");
    let why = escape_controls(&why).replace('\n', " ");
    let text = if plan.get("argv").is_none() {
        format!("{why}\n{}", render_plan(plan, rendering))
    } else {
        // The command line comes first: no other text, however long, may push it out of sight.
        let lines = render_command(plan, rendering);
        format!("{}\n\n{why}\n{}", lines[0], lines[1..].join("\n"))
    };
    let Some(width) = rendering.width else {
        return text;
    };
    text.lines().map(|line| wrap(line, width)).collect::<Vec<_>>().join("\n")
}

/// Renders what a call would do: its program, or its numbered steps. The argument is the JSON of a
/// [`crate::Plan`].
pub fn render_plan(plan: &Value, rendering: Rendering) -> String {
    if let Some(steps) = plan["steps"].as_array() {
        let render = |(index, step)| render_step(index + 1, step, rendering);
        return steps.iter().enumerate().map(render).collect::<Vec<_>>().join("\n");
    }
    if plan.get("argv").is_none() {
        let arguments = plan["arguments"].to_string();
        return render_line("arguments", &truncate(&arguments, rendering));
    }
    render_command(plan, rendering).join("\n")
}

/// Renders what a call would run on one line: command lines, or the arguments of a function.
pub fn render_command_line(plan: &Value) -> String {
    if let Some(steps) = plan["steps"].as_array() {
        let steps = steps.iter().map(|step| render_command_line(step.get("plan").unwrap_or(step)));
        return steps.collect::<Vec<_>>().join("; ");
    }
    let line = if plan.get("argv").is_some() {
        render_words(&plan["argv"], Rendering::default())
    } else {
        format!("{} {}", plan["tool"].as_str().unwrap_or_default(), plan["arguments"])
    };
    escape_controls(&line).replace('\n', " ")
}

fn render_step(number: usize, step: &Value, rendering: Rendering) -> String {
    let mut title = format!("{number}. {}", step["tool"].as_str().unwrap_or_default());
    if let Some(why) = step["skipped"].as_str() {
        title.push_str(&format!(": skipped, {why}"));
    }
    if let Some(why) = step["problem"].as_str() {
        title.push_str(&format!(": cannot be planned now: {why}"));
    }
    let title = escape_controls(&title).replace('\n', " ");
    let inner = render_plan(step.get("plan").unwrap_or(step), rendering);
    let inner: Vec<_> = inner.lines().map(|line| format!("\n   {line}")).collect();
    format!("{title}{}", inner.concat())
}

/// The lines about a command; the first is its command line.
fn render_command(plan: &Value, rendering: Rendering) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines = vec![
        ("program", text(&plan["program"])),
        ("in", text(&plan["cwd"])),
        ("variables", render_names(plan)),
        (
            "input",
            plan["stdin"].as_str().map_or("none".to_owned(), |text| truncate(text, rendering)),
        ),
        ("at most", format!("{} seconds", plan["timeout_seconds"])),
    ];
    // A plan has this field only if its command line is hidden.
    if let Some(given) = plan.get("given") {
        lines.insert(0, ("arguments", truncate(&given.to_string(), rendering)));
    }
    let variables = plan["variables"].as_object().into_iter().flatten();
    let set = variables.map(|(name, value)| {
        let assignment = format!("{name}={}", quote_word(value.as_str().unwrap_or_default()));
        ("sets", truncate(&assignment, rendering))
    });
    let files = plan["files"].as_object().into_iter().flatten().map(|(name, content)| {
        let content = truncate(content.as_str().unwrap_or_default(), rendering);
        ("file", format!("$TMPDIR/{name}\n{content}"))
    });
    let links = plan["links"].as_array().into_iter().flatten().map(|link| {
        let word = |key: &str| quote_word(link[key].as_str().unwrap_or_default());
        ("link", format!("{} leads to {}", word("path"), word("target")))
    });
    let most = if rendering.detail == Detail::Full { usize::MAX } else { MAX_PATHS };
    let passed: Vec<_> = links.take(most).chain(set).chain(files).collect();
    lines.splice(0..0, passed);
    // Listed separately from the paths, which may be truncated, because these are the user's own
    // files.
    lines.extend(plan["profile"].as_str().map(|text| ("profile", truncate(text, rendering))));
    lines.extend(render_sandbox(plan, rendering));
    let command = render_line("runs", &render_words(&plan["argv"], rendering));
    let command = match rendering.emphasis {
        Emphasis::Bold => format!("\x1b[1m{command}\x1b[0m"),
        Emphasis::None => command,
    };
    let rest = lines.iter().map(|(label, value)| render_line(label, value));
    std::iter::once(command).chain(rest).collect()
}

fn render_sandbox(plan: &Value, rendering: Rendering) -> Vec<(&'static str, String)> {
    let sandbox = &plan["confinement"];
    if sandbox["enforced"] != true {
        let off = "off: it can read, write and reach everything you can";
        return vec![("sandbox", off.to_owned())];
    }
    let network = match &sandbox["network"] {
        Value::Array(list) => {
            let list: Vec<_> = list.iter().filter_map(Value::as_str).collect();
            let enforced = plan["network_enforcement"].as_str().unwrap_or_default();
            format!("only {} ({enforced})", list.join(", "))
        }
        network => if *network == true { "yes" } else { "no" }.to_owned(),
    };
    // Approvals that an earlier version recorded have no level.
    let level = sandbox["level"].as_str().map(|level| ("sandbox", level.to_owned()));
    let access = [
        ("reads", format!("{}, and system folders", join_paths(&sandbox["read"], rendering))),
        ("writes", join_paths(&sandbox["write"], rendering)),
        ("network", network),
    ];
    level.into_iter().chain(access).collect()
}

/// A label and its value. Continuation lines are indented, so that a value cannot look like a line of
/// the plan.
fn render_line(label: &str, value: &str) -> String {
    let value = escape_controls(value).replace('\n', &format!("\n{:LABEL$} ", ""));
    format!("{label:<LABEL$} {value}").trim_end().to_owned()
}

fn render_words(list: &Value, rendering: Rendering) -> String {
    let words = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    words.map(|word| truncate(&quote_word(word), rendering)).collect::<Vec<_>>().join(" ")
}

/// The variables that the operator chose, by name. Those that the call sets are shown with values.
fn render_names(plan: &Value) -> String {
    let names = plan["env"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let is_set = |name: &&str| plan["variables"].get(*name).is_some();
    names.filter(|name| !is_set(name)).collect::<Vec<_>>().join(" ")
}

fn join_paths(list: &Value, rendering: Rendering) -> String {
    let all: Vec<_> = list.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    // A path inside another one of the list would only hide those that matter.
    let is_inside = |path: &str| {
        let mut others = all.iter().filter(|other| Path::new(other) != Path::new(path));
        others.any(|other| Path::new(path).starts_with(other))
    };
    let paths: Vec<_> = all.iter().copied().filter(|path| !is_inside(path)).collect();
    if paths.is_empty() {
        return "nothing".to_owned();
    }
    let most = if rendering.detail == Detail::Full { paths.len() } else { MAX_PATHS };
    let shown: Vec<_> = paths.iter().take(most).map(|path| quote_word(path)).collect();
    let more = paths.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(" "))
}

/// Breaks a line that is too wide, at a space if there is one in its second half, and indents the rest
/// like other continuation lines.
fn wrap(line: &str, width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    let leading = line.len() - line.trim_start_matches(' ').len();
    let indent = if leading > LABEL { leading } else { leading + LABEL + 1 }.min(width / 2);
    let line_break = format!("\n{:indent$}", "");
    let (mut wrapped, mut column, mut space) = (String::new(), 0, None);
    let mut is_sequence = false;
    for c in line.chars() {
        // Escape sequences are our own and take no columns.
        is_sequence |= c == '\x1b';
        if is_sequence {
            wrapped.push(c);
            is_sequence = c != 'm';
            continue;
        }
        // No character is wider than two columns.
        let columns = if c.is_ascii() { 1 } else { 2 };
        if column + columns > width {
            let (at, kept) = space.take().unwrap_or((wrapped.len(), column));
            wrapped.insert_str(at, &line_break);
            column = indent + column - kept;
        }
        wrapped.push(c);
        column += columns;
        if c == ' ' && column > width / 2 {
            space = Some((wrapped.len(), column));
        }
    }
    wrapped
}

/// The beginning of a long value, with its size and digest: two values that look alike differ there.
fn truncate(text: &str, rendering: Rendering) -> String {
    if rendering.detail == Detail::Full || text.len() <= MAX_VALUE {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_VALUE);
    let digest = value_digest(&Value::from(text));
    let digest = &digest[..DIGEST_DIGITS];
    format!("{}… ({} bytes in all, digest {digest})", &text[..end], text.len())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Detail, Emphasis, Rendering};

    fn render_plan(plan: &Value) -> String {
        super::render_plan(plan, Rendering::default())
    }

    fn command() -> Value {
        json!({
            "version": 1,
            "tool": "find",
            "program": "/usr/bin/find",
            "argv": ["find", "--name=a b", "it's", "new\nnetwork    yes"],
            "cwd": "/crib",
            "env": ["PATH", "TMPDIR"],
            "stdin": "one\nprogram    /bin/true",
            "timeout_seconds": 30,
            "confinement": {"enforced": true, "level": "landlock", "network": false, "read": ["/crib"], "write": []},
        })
    }

    #[test]
    fn indents_values_so_that_they_cannot_pass_as_lines() {
        let expected = "\
runs       find '--name=a b' \"it's\" $'new\\nnetwork    yes'
program    /usr/bin/find
in         /crib
variables  PATH TMPDIR
input      one
           program    /bin/true
at most    30 seconds
sandbox    landlock
reads      /crib, and system folders
writes     nothing
network    no";
        assert_eq!(render_plan(&command()), expected);
    }

    #[test]
    fn shows_values_passed_outside_the_command_line() {
        let mut plan = command();
        plan["env"] = json!(["PATH", "MODE"]);
        plan["variables"] = json!({"MODE": "delete all"});
        plan["files"] = json!({"argument-1": "rm -r /\nexit"});
        let text = render_plan(&plan);
        let expected = "\
sets       MODE='delete all'
file       $TMPDIR/argument-1
           rm -r /
           exit
program ";
        assert!(text.contains(expected) && text.contains("variables  PATH\n"), "{text}");
    }

    #[test]
    fn paths_inside_others_are_left_out() {
        let mut plan = command();
        plan["confinement"]["read"] = json!(["/a/b", "/a", "/ab", "/a/b/c"]);
        let text = render_plan(&plan);
        assert!(text.contains("reads      /a /ab, and system folders\n"), "{text}");
    }

    #[test]
    fn escapes_control_characters_everywhere() {
        let mut plan = command();
        for key in ["program", "cwd", "stdin"] {
            plan[key] = json!("a\x1b[2K\u{202e}b");
        }
        plan["argv"] = json!(["\x1b[8mhidden"]);
        plan["env"] = json!(["\x1b"]);
        plan["variables"] = json!({"X": "\x1b[2K"});
        plan["files"] = json!({"argument-1": "\x1b[2K"});
        plan["confinement"]["write"] = json!(["/\x1b[2K"]);
        let text = render_plan(&plan);
        assert!(!text.contains(['\x1b', '\u{202e}']), "{text}");
        assert!(text.starts_with("runs       $'\\x1b[8mhidden'\n"), "{text}");
        let native = json!({"arguments": {"text": "\u{202e}"}});
        assert_eq!(render_plan(&native), "arguments  {\"text\":\"\\u{202e}\"}");
    }

    #[test]
    fn shows_long_values_by_size_and_digest_and_in_full_on_request() {
        let mut plan = command();
        plan["stdin"] = json!("x".repeat(5000));
        let brief = render_plan(&plan);
        assert!(brief.contains("x… (5000 bytes in all, digest "), "{brief}");
        let full = Rendering { detail: Detail::Full, ..Rendering::default() };
        assert!(super::render_plan(&plan, full).contains(&"x".repeat(5000)));
    }

    #[test]
    fn a_terminal_shows_the_command_line_in_bold() {
        let bold = Rendering { emphasis: Emphasis::Bold, ..Rendering::default() };
        let text = super::render_plan(&command(), bold);
        assert!(text.starts_with("\x1b[1mruns       find ") && text.contains("'\x1b[0m\nprogram"));
    }

    #[test]
    fn reports_that_the_sandbox_is_off() {
        let mut plan = command();
        plan["confinement"]["enforced"] = json!(false);
        let text = render_plan(&plan);
        assert!(text.ends_with("sandbox    off: it can read, write and reach everything you can"));
    }

    #[test]
    fn numbers_steps_and_shows_the_plan_of_skipped_ones() {
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

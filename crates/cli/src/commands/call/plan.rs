//! A plan for people. It is read from its JSON form, the one that is documented.

use serde_json::Value;

/// What a call would do: its program, or its steps with a number each.
pub(in crate::commands) fn describe(plan: &Value) -> String {
    match plan["steps"].as_array() {
        Some(steps) => steps
            .iter()
            .enumerate()
            .map(|(index, step)| numbered(index + 1, step))
            .collect::<Vec<_>>()
            .join("\n"),
        None if plan.get("argv").is_none() => format!("{:<10} {}", "arguments", plan["arguments"]),
        None => process(plan),
    }
}

fn numbered(number: usize, step: &Value) -> String {
    let title = format!("{number}. {}", step["tool"].as_str().unwrap_or_default());
    if let Some(why) = step["skipped"].as_str() {
        return format!("{title}: skipped, {why}");
    }
    if let Some(why) = step["problem"].as_str() {
        return format!("{title}: cannot be planned now: {why}");
    }
    let inner = describe(step.get("plan").unwrap_or(step));
    let inner: Vec<_> = inner.lines().map(|line| format!("\n   {line}")).collect();
    format!("{title}{}", inner.concat())
}

fn process(plan: &Value) -> String {
    let words = |list: &Value, each: fn(&str) -> String| {
        list.as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(each)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let some = |text: String| {
        if text.is_empty() { "nothing".to_owned() } else { text }
    };
    let bounds = &plan["confinement"];
    let mut lines = vec![
        ("runs", words(&plan["argv"], quoted)),
        ("program", plan["program"].as_str().unwrap_or_default().to_owned()),
        ("in", plan["cwd"].as_str().unwrap_or_default().to_owned()),
        ("variables", words(&plan["env"], str::to_owned)),
        ("input", plan["stdin"].as_str().unwrap_or("none").to_owned()),
        ("at most", format!("{} seconds", plan["timeout_seconds"])),
    ];
    match bounds["enforced"] == true {
        true => lines.extend([
            ("reads", some(words(&bounds["read"], quoted))),
            ("writes", some(words(&bounds["write"], quoted))),
            ("network", if bounds["network"] == true { "yes" } else { "no" }.to_owned()),
        ]),
        false => {
            lines.push(("confined", "no: it can read, write and reach what you can".to_owned()))
        }
    }
    lines
        .iter()
        .map(|(name, value)| format!("{name:<10} {value}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// A word as one would type it in a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

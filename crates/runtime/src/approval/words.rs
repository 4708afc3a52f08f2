//! A plan in words, for the person who is asked.

use catalog::REDACTED;
use serde_json::Value;

use super::Approval;

/// The longest list that is shown whole.
const LONGEST: usize = 12;

/// The question to a person: what is asked, why, and exactly what would be done.
pub(super) fn question(approval: &Approval) -> String {
    let mut lines =
        vec![format!("`{}` asks for your approval: {}.", approval.tool, approval.reason)];
    match approval.plan["steps"].as_array() {
        Some(steps) => {
            for (index, step) in steps.iter().enumerate() {
                lines.push(format!(
                    "Step {}: {}",
                    index + 1,
                    step["tool"].as_str().unwrap_or_default()
                ));
                lines.extend(plan(step.get("plan").unwrap_or(step)));
            }
        }
        None => lines.extend(plan(&approval.plan)),
    }
    lines.join("\n")
}

fn plan(plan: &Value) -> Vec<String> {
    if let (Some(arguments), None) = (plan.get("arguments"), plan.get("argv")) {
        return vec![format!("arguments: {arguments}")];
    }
    let bounds = &plan["confinement"];
    let network = if bounds["network"] == true { "may be used" } else { "no" };
    let mut lines = vec![
        format!("runs: {}", list(&plan["argv"], quoted)),
        format!("program: {}", plan["program"].as_str().unwrap_or_default()),
        format!("in: {}", plan["cwd"].as_str().unwrap_or_default()),
        format!("variables: {}", list(&plan["env"], str::to_owned)),
    ];
    lines.extend(plan["stdin"].as_str().map(|text| format!("input: {} bytes", text.len())));
    if bounds["enforced"] == true {
        lines
            .push(format!("may read: {}, and the system's folders", list(&bounds["read"], quoted)));
        lines.push(format!("may write: {}", list(&bounds["write"], quoted)));
        lines.push(format!("network: {network}"));
    } else {
        lines.push("is not confined: it can read, write and reach what you can".to_owned());
    }
    lines.push(format!("for at most: {} seconds", plan["timeout_seconds"]));
    lines
}

fn list(values: &Value, each: fn(&str) -> String) -> String {
    let values: Vec<_> =
        values.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    // Words of a command line are never left out: they are what is agreed to.
    let shown = if values.len() > LONGEST && values.iter().all(|value| value.starts_with('/')) {
        LONGEST
    } else {
        values.len()
    };
    let mut texts: Vec<_> = values[..shown].iter().map(|value| each(value)).collect();
    if shown < values.len() {
        texts.push(format!("and {} more", values.len() - shown));
    }
    if texts.is_empty() { "nothing".to_owned() } else { texts.join(" ") }
}

/// A word as one would type it in a shell.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Takes secrets out of every text.
pub(super) fn mask(value: &mut Value, secrets: &[String]) {
    match value {
        Value::String(text) => {
            for secret in
                secrets.iter().filter(|secret| text.contains(secret.as_str())).collect::<Vec<_>>()
            {
                *text = text.replace(secret.as_str(), REDACTED);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, secrets)),
        Value::Object(object) => object.values_mut().for_each(|member| mask(member, secrets)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

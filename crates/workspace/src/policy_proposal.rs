//! "Always allow" as text: the clause that a person would add to `toolcrib.toml` for one call.

use std::time::SystemTime;

use catalog::{
    Policy, Tool,
    policy::{Clause, Effect},
};
use serde_json::{Map, Value};

use crate::date;

/// How long a proposed permission lasts, in days.
const LIFE: u32 = 30;

/// A `[[policy]]` that allows this call of `tool` and no other one for 30 days from `today`.
///
/// Values of secret parameters are left open: the text is written down. None if the arguments are
/// too large or too deep for a condition.
pub fn propose_policy_clause(
    tool: &Tool,
    arguments: &Map<String, Value>,
    today: SystemTime,
) -> Option<String> {
    let when = condition(tool, arguments);
    let clause = Clause {
        tools: tool.name.clone(),
        when: Some(when.clone()),
        effect: Effect::Allow,
        until: None,
        reason: None,
    };
    Policy::compile([clause]).ok()?;
    let text = |text: &str| toml::Value::from(text).to_string();
    Some(format!(
        "[[policy]]\ntools = {}\nwhen = {}\ndo = \"allow\"\nuntil = {}\n",
        text(&tool.name),
        text(&when),
        date::day_after(today, LIFE)
    ))
}

/// A condition that holds for these arguments and no others, whatever the values of secrets.
fn condition(tool: &Tool, arguments: &Map<String, Value>) -> String {
    if !arguments.keys().any(|name| tool.is_secret(name)) {
        return format!("args == {}", object(arguments));
    }
    let each = arguments.iter().map(|(name, value)| match tool.is_secret(name) {
        true => format!("{} in args", quoted(name)),
        false => format!("args[{}] == {}", quoted(name), literal(value)),
    });
    std::iter::once(format!("size(args) == {}", arguments.len()))
        .chain(each)
        .collect::<Vec<_>>()
        .join(" && ")
}

/// A value as CEL writes it.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => number.to_string(),
            (None, Some(number), _) => format!("{number}u"),
            (None, None, number) => format!("{:?}", number.unwrap_or_default()),
        },
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => object(members),
    }
}

fn object(members: &Map<String, Value>) -> String {
    let members =
        members.iter().map(|(name, value)| format!("{}: {}", quoted(name), literal(value)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            // What cannot be seen is spelled out, so that a reader sees what is allowed.
            c if c.is_control() || !c.is_ascii() && !c.is_alphanumeric() => {
                quoted.push_str(&format!("\\U{:08x}", u32::from(c)))
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

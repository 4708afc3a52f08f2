//! "Always allow": proposes the `[[policy]]` clause that a person can add to `toolcrib.toml`.

use std::time::SystemTime;

use catalog::{
    Policy, Tool,
    policy::{Clause, Effect},
};
use jiff::{Timestamp, ToSpan, civil, tz::Offset};
use serde_json::{Map, Value};

/// The validity of a proposed clause, in days.
const VALID_DAYS: i64 = 30;

/// A `[[policy]]` that allows exactly this call of `tool` until 30 days after `today`.
///
/// The values of secret parameters are not part of the condition, because the text is stored in a
/// file. `None` if the arguments are too large or too deeply nested for a condition.
pub fn propose_policy_clause(
    tool: &Tool,
    arguments: &Map<String, Value>,
    today: SystemTime,
) -> Option<String> {
    let when = render_condition(tool, arguments);
    let clause = Clause {
        tools: tool.name.clone(),
        when: Some(when.clone()),
        effect: Effect::Allow,
        until: None,
        reason: None,
    };
    // CEL limits the size and nesting of expressions.
    Policy::compile([clause]).ok()?;
    let text = |text: &str| toml::Value::from(text).to_string();
    Some(format!(
        "[[policy]]\ntools = {}\nwhen = {}\ndo = \"allow\"\nuntil = {}\n",
        text(&tool.name),
        text(&when),
        last_day(today)
    ))
}

/// The last day of a clause that is written at `now`, in UTC like every `until`.
fn last_day(now: SystemTime) -> civil::Date {
    // A clock beyond the range of dates gets the last date that TOML can express.
    Timestamp::try_from(now).map_or(civil::Date::MAX, |now| {
        Offset::UTC.to_datetime(now).date().saturating_add(VALID_DAYS.days())
    })
}

/// A condition that holds only for these arguments, with any values for secrets.
fn render_condition(tool: &Tool, arguments: &Map<String, Value>) -> String {
    if !arguments.keys().any(|name| tool.is_secret(name)) {
        return format!("args == {}", render_object(arguments));
    }
    let each = arguments.iter().map(|(name, value)| {
        if tool.is_secret(name) {
            // The argument must be there, with any value.
            format!("{} in args", quote(name))
        } else {
            format!("args[{}] == {}", quote(name), render_literal(value))
        }
    });
    // The size is compared, because a call with an additional argument would match otherwise.
    std::iter::once(format!("size(args) == {}", arguments.len()))
        .chain(each)
        .collect::<Vec<_>>()
        .join(" && ")
}

/// Renders a value as a CEL literal.
fn render_literal(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => number.to_string(),
            // CEL has separate types for signed and unsigned integers.
            (None, Some(number), _) => format!("{number}u"),
            // The debug form keeps `.0`, without which CEL would read an integer.
            (None, None, number) => format!("{:?}", number.unwrap_or_default()),
        },
        Value::String(text) => quote(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(render_literal).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => render_object(members),
    }
}

fn render_object(members: &Map<String, Value>) -> String {
    let members =
        members.iter().map(|(name, value)| format!("{}: {}", quote(name), render_literal(value)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            // Invisible and bidirectional characters are escaped, so that the reader sees what the
            // clause allows.
            c if c.is_control() || !c.is_ascii() && !c.is_alphanumeric() => {
                quoted.push_str(&format!("\\U{:08x}", u32::from(c)))
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::last_day;

    #[test]
    fn the_last_day_crosses_months_and_never_overflows() {
        let day = |seconds| last_day(UNIX_EPOCH + Duration::from_secs(seconds)).to_string();
        assert_eq!(day(1_798_761_600), "2027-01-31");
        assert_eq!(day(1_706_659_200), "2024-03-01");
        assert_eq!(day(253_402_300_799), "9999-12-31");
        let far = UNIX_EPOCH.checked_add(Duration::from_secs(1 << 60));
        assert_eq!(far.map(|far| last_day(far).to_string()).as_deref(), Some("9999-12-31"));
    }
}

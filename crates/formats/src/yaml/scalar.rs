//! Plain scalars as YAML 1.1 resolves them, and YAML 1.2 spellings where the two do not conflict.

use std::borrow::Cow;

use serde_json::Number;

use crate::json::Value;

const NULLS: [&str; 5] = ["", "~", "null", "Null", "NULL"];
const TRUE: [&str; 11] = ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"];
const FALSE: [&str; 11] =
    ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"];

/// The value of a plain scalar. One without a JSON equivalent, such as infinity, stays a string.
pub(super) fn resolve(text: Cow<'_, str>) -> Value<'_> {
    // R packages write `required: yes` and `dangerous: no`, so YAML 1.1 booleans must be read as
    // such: as strings, `no` would be as true as `yes`.
    if let Some(value) = to_bool(&text) {
        return Value::Bool(value);
    }
    if NULLS.contains(&&*text) {
        return Value::Null;
    }
    match parse_number(&text) {
        Some(number) => Value::Number(number),
        None => Value::String(text),
    }
}

/// Parses a YAML 1.1 boolean.
pub(super) fn to_bool(text: &str) -> Option<bool> {
    match text {
        _ if TRUE.contains(&text) => Some(true),
        _ if FALSE.contains(&text) => Some(false),
        _ => None,
    }
}

fn parse_number(text: &str) -> Option<Number> {
    let first = text.bytes().next()?;
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
        return None;
    }
    let (negative, unsigned) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    match parse_integer(unsigned) {
        Some(magnitude) => apply_sign(magnitude, negative),
        None => parse_float(unsigned, negative),
    }
}

/// Parses an integer: decimal, binary, octal (`017` of YAML 1.1, `0o17` of 1.2), hexadecimal, or
/// sexagesimal (`1:30` is 90).
fn parse_integer(text: &str) -> Option<u64> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    let in_base = |digits: &str, base| {
        u64::from_str_radix(digits, base).ok().filter(|_| !digits.starts_with(['+', '-']))
    };
    match digits.as_bytes() {
        [b'0', b'x', ..] => in_base(&digits[2..], 16),
        [b'0', b'b', ..] => in_base(&digits[2..], 2),
        [b'0', b'o', ..] => in_base(&digits[2..], 8),
        [b'0', rest @ ..]
            if !rest.is_empty() && rest.iter().all(|byte| matches!(byte, b'0'..=b'7')) =>
        {
            in_base(&digits[1..], 8)
        }
        _ if digits.contains(':') => parse_sexagesimal(&digits),
        // Neither octal nor decimal in any version: `089`, a zip code for example, is a string.
        [b'0', b'0'..=b'9', ..] => None,
        _ => in_base(&digits, 10),
    }
}

fn parse_sexagesimal(text: &str) -> Option<u64> {
    let mut parts = text.split(':');
    let first: u64 = parts.next()?.parse().ok()?;
    parts.try_fold(first, |sum, part| {
        let digit: u64 = part.parse().ok().filter(|digit| *digit < 60 && part.len() <= 2)?;
        sum.checked_mul(60)?.checked_add(digit)
    })
}

fn apply_sign(magnitude: u64, negative: bool) -> Option<Number> {
    if negative {
        0i64.checked_sub_unsigned(magnitude).map(Number::from)
    } else {
        Some(magnitude.into())
    }
}

fn parse_float(text: &str, negative: bool) -> Option<Number> {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-' | '_');
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    let starts_well = digits.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit());
    if !text.chars().all(is_number) || !starts_well || !text.contains(['.', 'e', 'E']) {
        return None;
    }
    // JSON has no infinity: a number out of range stays a string rather than becoming null.
    let magnitude: f64 = digits.parse().ok()?;
    Number::from_f64(if negative { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::resolve;
    use crate::json::{Node, Span};

    fn read(text: &str) -> Value {
        Node { value: resolve(text.into()), span: Span::default() }.to_value()
    }

    #[test]
    fn scalars_are_resolved_as_in_yaml_1_1() {
        for (text, value) in [
            ("yes", json!(true)),
            ("On", json!(true)),
            ("n", json!(false)),
            ("~", Value::Null),
            ("", Value::Null),
            ("0755", json!(493)),
            ("0o17", json!(15)),
            ("0x1F", json!(31)),
            ("0b101", json!(5)),
            ("1_000", json!(1000)),
            ("1:30", json!(90)),
            ("-7", json!(-7)),
            ("+7", json!(7)),
            ("20.0", json!(20.0)),
            ("1.2345679e+08", json!(123_456_790.0)),
            ("1e6", json!(1e6)),
            (".5", json!(0.5)),
            ("-0.5", json!(-0.5)),
        ] {
            assert_eq!(read(text), value, "{text}");
        }
    }

    #[test]
    fn other_scalars_stay_strings() {
        for text in [
            ".inf",
            "-.inf",
            ".nan",
            ".na",
            "1.2.3",
            "2024-12-31",
            "-",
            "+",
            ".",
            "089",
            "1:75",
            "0x",
            "1e",
            "e1",
            "yEs",
            "é",
        ] {
            assert_eq!(read(text), json!(text));
        }
    }
}

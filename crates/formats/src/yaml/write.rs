//! Writes JSON values as YAML that YAML 1.1 and 1.2 parsers read alike. The same value always gives
//! the same bytes, so that `build` rewrites a file only if its content changed.

use std::fmt::Write;

use serde_json::{Map, Value as Json};

/// Lists of scalars that are wider than this are written with one item per line.
const WIDTH: usize = 96;

/// Words that YAML 1.1 does not resolve to a string.
const WORDS: [&str; 16] = [
    "y", "n", "yes", "no", "true", "false", "on", "off", "null", "nan", "inf", "na", "~", "=",
    "<<", "-",
];

/// Writes an object as a document.
pub fn write_yaml(object: &Map<String, Json>) -> String {
    let mut out = String::new();
    push_members(&mut out, object, 0);
    out
}

fn push_members(out: &mut String, object: &Map<String, Json>, depth: usize) {
    for (key, value) in object {
        indent(out, depth);
        push_key(out, key);
        push_value(out, value, depth);
    }
}

/// Writes a value after its key, from the colon to the end of the line or of the block below.
fn push_value(out: &mut String, value: &Json, depth: usize) {
    match value {
        Json::Object(object) if !object.is_empty() => {
            out.push_str(":\n");
            push_members(out, object, depth + 1);
        }
        Json::Array(items) if !items.is_empty() => match to_flow(items) {
            Some(line) => push_line(out, &line),
            None => {
                out.push_str(":\n");
                items.iter().for_each(|item| push_item(out, item, depth));
            }
        },
        Json::String(text) if is_block(text) => push_block(out, text, depth + 1),
        scalar => push_line(out, &write_scalar(scalar, Context::Block)),
    }
}

fn push_line(out: &mut String, text: &str) {
    writeln!(out, ": {text}").expect("writing to a string");
}

fn push_item(out: &mut String, item: &Json, depth: usize) {
    indent(out, depth);
    out.push_str("- ");
    match item {
        Json::Object(object) if !object.is_empty() => {
            let mut inner = String::new();
            push_members(&mut inner, object, depth + 1);
            // The dash takes the place of the first member's indentation.
            out.push_str(inner.trim_start_matches(' '));
        }
        Json::Array(items) if !items.is_empty() => match to_flow(items) {
            Some(line) => writeln!(out, "{line}").expect("writing to a string"),
            None => {
                let mut inner = String::new();
                items.iter().for_each(|item| push_item(&mut inner, item, depth + 1));
                out.push_str(inner.trim_start_matches(' '));
            }
        },
        scalar => {
            writeln!(out, "{}", write_scalar(scalar, Context::Block)).expect("writing to a string")
        }
    }
}

/// A list of scalars on one line, if that is short enough.
fn to_flow(items: &[Json]) -> Option<String> {
    let is_plain = |item: &Json| match item {
        Json::Array(inner) => inner.is_empty(),
        Json::Object(inner) => inner.is_empty(),
        Json::String(text) => !text.contains('\n'),
        _ => true,
    };
    let line = items.iter().all(is_plain).then(|| {
        let words: Vec<_> = items.iter().map(|item| write_scalar(item, Context::Flow)).collect();
        format!("[{}]", words.join(", "))
    });
    line.filter(|line| line.len() <= WIDTH)
}

fn indent(out: &mut String, depth: usize) {
    (0..depth).for_each(|_| out.push_str("  "));
}

/// Writes a key. YAML 1.1 parsers read an unquoted `n` or `y`, both usual names of R parameters, as
/// a boolean.
fn push_key(out: &mut String, key: &str) {
    out.push_str(&quote_if_needed(key, Context::Flow));
}

/// Whether a scalar is inside a list on one line, where more characters have a meaning.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    Block,
    Flow,
}

fn write_scalar(value: &Json, context: Context) -> String {
    match value {
        Json::String(word) => quote_if_needed(word, context),
        Json::Number(number) => write_number(&number.to_string()),
        Json::Array(_) => "[]".to_owned(),
        Json::Object(_) => "{}".to_owned(),
        other => other.to_string(),
    }
}

/// Writes a number. YAML 1.1 requires a decimal point and a sign in numbers with an exponent.
fn write_number(number: &str) -> String {
    let Some((mantissa, exponent)) = number.split_once('e') else {
        return number.to_owned();
    };
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['-', '+']) { "" } else { "+" };
    format!("{mantissa}{point}e{sign}{exponent}")
}

fn quote_if_needed(word: &str, context: Context) -> String {
    if is_plain(word, context) {
        return word.to_owned();
    }
    if word.chars().any(needs_escape) {
        escape(word)
    } else {
        format!("'{}'", word.replace('\'', "''"))
    }
}

/// Whether every parser reads a word without quotes as a string. Only characters known to be safe
/// count, which quotes more than necessary but depends on no parser.
fn is_plain(word: &str, context: Context) -> bool {
    let is_word =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '(' | ')' | ' ' | '+');
    // These have a meaning at the beginning of a scalar or in a flow list, not inside of a block
    // scalar.
    let is_block_char = |c: char| {
        context == Context::Block
            && matches!(
                c,
                ',' | ';'
                    | '='
                    | '"'
                    | '\''
                    | '`'
                    | '<'
                    | '>'
                    | '$'
                    | '^'
                    | '~'
                    | '?'
                    | '!'
                    | '*'
                    | '&'
                    | '%'
                    | '['
                    | ']'
            )
    };
    let begins_well = word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '('));
    let lower = word.to_lowercase();
    begins_well
        && !word.ends_with(' ')
        && !WORDS.contains(&lower.as_str())
        && word.chars().all(|c| is_word(c) || is_block_char(c))
}

/// Control characters, line separators and byte order marks, which only double quotes can hold.
fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn escape(word: &str) -> String {
    let mut out = String::from("\"");
    for c in word.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if needs_escape(c) => {
                write!(out, "\\u{:04x}", c as u32).expect("writing to a string");
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether a text can be written as a literal block: indentation is detected from the first line,
/// so that must not begin with whitespace.
fn is_block(text: &str) -> bool {
    let is_odd = |c: char| c != '\n' && c != '\t' && needs_escape(c);
    text.contains('\n')
        && !text.starts_with([' ', '\n', '\t'])
        // With `|` only one of the line breaks at the end would be kept.
        && !text.ends_with("\n\n")
        && !text.chars().any(is_odd)
}

fn push_block(out: &mut String, text: &str, depth: usize) {
    out.push_str(if text.ends_with('\n') { ": |\n" } else { ": |-\n" });
    for line in text.trim_end_matches('\n').split('\n') {
        if !line.is_empty() {
            indent(out, depth);
            out.push_str(line);
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::write_yaml;
    use crate::yaml;

    fn round_trip(value: &Value) -> Value {
        let text = write_yaml(value.as_object().expect("an object"));
        let parsed = yaml::parse(&text);
        assert!(parsed.problems.is_empty(), "{:?}\n{text}", parsed.problems);
        parsed.root.expect("a tree").to_value()
    }

    #[test]
    fn writes_the_usual_style() {
        let value = json!({
            "name": "pkg-f", "n": 1, "text": "two\n\nlines", "code": "f(1)\n#\n#> 1\n",
            "list": ["a", "b c", "yes", "1", ""], "empty": [], "nothing": null, "small": 1e-20,
            "nested": {"type": "array", "items": [{"a": 1, "b": [[1, 2], ["x"]]}]}, "tricky": "one: two # three",
        });
        insta::assert_snapshot!(write_yaml(value.as_object().expect("an object")), @r"
        name: pkg-f
        'n': 1
        text: |-
          two

          lines
        code: |
          f(1)
          #
          #> 1
        list: [a, b c, 'yes', '1', '']
        empty: []
        nothing: null
        small: 1.0e-20
        nested:
          type: array
          items:
          - a: 1
            b:
            - [1, 2]
            - [x]
        tricky: 'one: two # three'
        ");
        assert_eq!(round_trip(&value), value);
    }

    proptest! {
        #[test]
        fn every_text_survives_a_round_trip(text in "(?s).{0,40}", key in "[a-zA-Z0-9 :#'\"._-]{1,8}") {
            let value = json!({"a": text.clone(), key: [text.clone(), "x"], "b": [[text]]});
            prop_assert_eq!(round_trip(&value), value);
        }

        #[test]
        fn every_line_survives_a_round_trip(text in "[a-z:# '\"\\-\n\t|>]{0,40}") {
            let value = json!({"a": {"b": text}});
            prop_assert_eq!(round_trip(&value), value);
        }

        #[test]
        fn every_number_survives_a_round_trip(number in any::<f64>().prop_filter("finite", |number| number.is_finite())) {
            let value = json!({"a": number});
            prop_assert_eq!(round_trip(&value)["a"].as_f64(), Some(number));
        }
    }
}

//! Example values in a parameter's text: code behind words such as `e.g.`, as values of its type.

use serde_json::Value as Json;

use super::{constant::Constant, kind::Kind, plain::Plain, source};

/// Words behind which code is an example.
const TRIGGERS: [&str; 15] = [
    "example value",
    "examples",
    "example:",
    "for example",
    "e.g.",
    "eg.",
    "such as",
    "options are",
    "options include",
    "valid value",
    "common value",
    "possible value",
    "allowed value",
    "accepted value",
    "one of",
];

/// The examples of a text: values that fit, and code that does not.
pub(crate) fn examples(plain: &Plain, kind: &Kind) -> (Vec<Json>, Vec<String>) {
    let (mut values, mut unfit) = (Vec::new(), Vec::new());
    for code in codes(plain) {
        match value(code, kind) {
            Some(value) if !values.contains(&value) => values.push(value),
            Some(_) => {}
            None => unfit.push(code.to_owned()),
        }
    }
    (values, unfit)
}

/// The pieces of code that are examples. What follows the word `default` is none.
fn codes(plain: &Plain) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_open = false;
    for range in plain.sentences() {
        let sentence = plain.text[range.clone()].to_lowercase();
        is_open = is_open && sentence.trim_start().starts_with("- ");
        for code in plain.code.iter().filter(|code| code.start >= range.start && code.end <= range.end) {
            let before = sentence.get(..code.start - range.start).unwrap_or_default();
            let trigger = TRIGGERS.iter().filter_map(|trigger| before.rfind(trigger)).max();
            let default = before.rfind("default");
            let is_example = match (trigger, default) {
                (Some(trigger), Some(default)) => trigger > default,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => is_open,
            };
            let text = &plain.text[code.clone()];
            found.extend((is_example && !text.is_empty()).then_some(text));
        }
        let ends_open = sentence.trim_end().ends_with(':') && TRIGGERS.iter().any(|trigger| sentence.contains(trigger));
        is_open = is_open || ends_open;
    }
    found
}

fn value(code: &str, kind: &Kind) -> Option<Json> {
    let constant = source::constant(code);
    match (kind.value(&constant), kind) {
        (Some(value), _) => Some(value),
        // Code may be what a text holds: a call, a name, a pattern.
        (None, Kind::Text) if constant != Constant::Null => Some(code.into()),
        (None, Kind::Array(of)) if **of == Kind::Text && constant == Constant::Computed => Some(Json::Array(vec![code.into()])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Kind, examples};
    use crate::roxygen::plain::plain;

    #[test]
    fn examples_have_the_type_of_their_parameter() {
        let of = |text: &str, kind: Kind| json!(examples(&plain(text), &kind).0);
        assert_eq!(of(r#"Example values: \code{"x"}, \code{"y"}"#, Kind::Text), json!(["x", "y"]));
        assert_eq!(of(r#"(e.g., \code{"x"}). Default \code{"z"}"#, Kind::Text), json!(["x"]));
        assert_eq!(of(r#"Such as \code{"x"}, by default \code{"z"}"#, Kind::Text), json!(["x"]));
        assert_eq!(of(r"such as \code{1}, \code{2L}", Kind::Integer), json!([1, 2]));
        assert_eq!(of("Examples: `TRUE`", Kind::Boolean), json!([true]));
        assert_eq!(of(r#"For example \code{'{"a": 1}'} and `mean(x)`"#, Kind::Text), json!([r#"{"a": 1}"#, "mean(x)"]));
        assert_eq!(of(r#"e.g. \code{c("a", "b")} or \code{"c"}"#, Kind::Text.array()), json!([["a", "b"], ["c"]]));
        assert_eq!(of("Valid values are `a`. Example values: `b`. See `c`.", Kind::Text), json!(["a", "b"]));
        assert_eq!(of("Common values:\n- `a`\n- `b`\n\nSee `c`", Kind::Text), json!(["a", "b"]));
        assert_eq!(of("Uses `a`", Kind::Text), json!([]));
        assert_eq!(examples(&plain("e.g. `x`"), &Kind::Integer).1, ["x"]);
    }
}

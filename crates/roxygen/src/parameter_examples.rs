//! Example values in the text of a parameter: code after words such as `e.g.`.

use std::ops::Range;

use formats::type_phrase::ValueType;
use serde_json::Value as Json;

use super::{constant::Constant, plain_text::PlainText, source::parse_constant};

/// Words after which code in the same sentence is an example: those of the RAVE format document and
/// of its first builder, and the variations that packages of this format use.
const TRIGGERS: [&str; 8] = [
    "example",
    "e.g.",
    "such as",
    "options are",
    "options include",
    "valid value",
    "common value",
    "one of",
];

/// The examples of a parameter.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Examples {
    /// Values of the parameter's type.
    pub(crate) values: Vec<Json>,
    /// Code that is not a value of that type.
    pub(crate) unfit: Vec<String>,
}

/// Finds the examples in the text of a parameter of type `value_type`. The names of formals are not
/// examples: `one of x and y must be given`.
pub(crate) fn find_examples(
    text: &PlainText,
    value_type: &ValueType,
    formals: &[&str],
) -> Examples {
    let mut examples = Examples::default();
    let codes = find_codes(text).into_iter().map(|range| &text.text[range]);
    for code in codes.filter(|code| !formals.contains(code)) {
        match parse_example(code, value_type) {
            Some(value) if examples.values.contains(&value) => {}
            Some(value) => examples.values.push(value),
            None => examples.unfit.push(code.to_owned()),
        }
    }
    examples
}

/// The byte ranges of example code: code that follows a trigger in its sentence, unless the word
/// `default` comes between the two. Links are not examples.
pub(crate) fn find_codes(text: &PlainText) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for sentence in text.sentences() {
        let lower = text.text[sentence.clone()].to_lowercase();
        let is_inside =
            |code: &&Range<usize>| code.start >= sentence.start && code.end <= sentence.end;
        for code in text.code.iter().filter(is_inside) {
            // Lower case can change the length of some characters; then the position is not valid
            // and nothing is found.
            let before = lower.get(..code.start - sentence.start).unwrap_or_default();
            // The last trigger before the code decides: `default is "a", e.g. "b"`.
            let trigger = TRIGGERS.iter().filter_map(|trigger| before.rfind(trigger)).max();
            let is_example = trigger.is_some_and(|at| !before[at..].contains("default"));
            if is_example && !code.is_empty() && !text.links.contains(&code.start) {
                found.push(code.clone());
            }
        }
    }
    found
}

/// An example as a value of `value_type`. For text, code that is not a string literal stands for
/// itself: it may be a name, a pattern or JSON.
fn parse_example(code: &str, value_type: &ValueType) -> Option<Json> {
    let constant = parse_constant(code);
    if let Some(value) = constant.to_json(value_type) {
        return Some(value);
    }
    // `"a" or "b"` is not one value.
    let is_quoted = code.starts_with(['"', '\'']);
    match value_type {
        ValueType::Text if !is_quoted && constant != Constant::Null => Some(code.into()),
        ValueType::Array(element)
            if **element == ValueType::Text
                && !is_quoted
                && matches!(constant, Constant::Computed(_)) =>
        {
            Some(Json::Array(vec![code.into()]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Examples, ValueType, find_examples};
    use crate::plain_text::plain;

    #[test]
    fn examples_have_the_type_of_their_parameter() {
        let text = ValueType::Text;
        for (marked, value_type, values) in [
            (r#"Example values: \code{"x"}, \code{"y"}"#, &text, json!(["x", "y"])),
            ("Valid values are `a`. Example values: `b`. See `c`.", &text, json!(["a", "b"])),
            (
                r#"For example \code{'{"a": 1}'} and `mean(x)`"#,
                &text,
                json!([r#"{"a": 1}"#, "mean(x)"]),
            ),
            ("such as `1`, `2L`, `1`", &ValueType::Integer, json!([1, 2])),
            ("Examples: `TRUE`", &ValueType::Boolean, json!([true])),
            (
                r#"e.g. \code{c("a", "b")}, \code{"c"} or `d`"#,
                &ValueType::Text.array(),
                json!([["a", "b"], ["c"], ["d"]]),
            ),
        ] {
            assert_eq!(json!(find_examples(&plain(marked), value_type, &[]).values), values);
        }
    }

    #[test]
    fn defaults_links_and_formals_are_not_examples() {
        for text in [
            "Uses `a`",
            "e.g. one, by default `z`",
            r"A model, e.g. the result of \code{\link{lm}}",
            "A model, e.g. the result of [`lm()`]",
            "One of `x` and `side` must be given",
        ] {
            let found = find_examples(&plain(text), &ValueType::Text, &["x", "side"]);
            assert_eq!(found, Examples::default(), "{text}");
        }
    }

    #[test]
    fn rejects_examples_of_another_type() {
        assert_eq!(find_examples(&plain("e.g. `x`"), &ValueType::Integer, &[]).unfit, ["x"]);
        let two = find_examples(&plain(r#"One of \code{"a" or "b"}"#), &ValueType::Text, &[]);
        assert_eq!(two.unfit, [r#""a" or "b""#]);
    }
}

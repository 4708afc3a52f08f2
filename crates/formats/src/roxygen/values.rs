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

/// Words behind code that say that it names parameters: `one of a or b must be given`.
const DEMANDS: [&str; 4] = ["must be", "should be", "has to be", "needs to be"];
const GIVEN: [&str; 6] = ["supplied", "given", "specified", "provided", "present", "passed"];

/// The examples in the text of the parameter `name`: values that fit, and code that does not.
pub(crate) fn examples(plain: &Plain, kind: &Kind, name: &str) -> (Vec<Json>, Vec<String>) {
    let (mut values, mut unfit) = (Vec::new(), Vec::new());
    for code in codes(plain) {
        match meant(code, kind, name) {
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
            let text = &plain.text[code.clone()];
            let behind = sentence.get(code.end - range.start..).unwrap_or_default();
            let is_demand = is_demand(behind) && matches!(source::constant(text), Constant::Computed(_));
            let triggers = TRIGGERS.iter().filter(|trigger| !is_demand || **trigger != "one of");
            let trigger = triggers.filter_map(|trigger| before.rfind(trigger)).max();
            let default = before.rfind("default");
            let is_example = match (trigger, default) {
                (Some(trigger), Some(default)) => trigger > default,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => is_open,
            };
            found.extend((is_example && !text.is_empty()).then_some(text));
        }
        let ends_open = sentence.trim_end().ends_with(':') && TRIGGERS.iter().any(|trigger| sentence.contains(trigger));
        is_open = is_open || ends_open;
    }
    found
}

fn is_demand(behind: &str) -> bool {
    DEMANDS.iter().any(|demand| {
        let rest = behind.split_once(demand).map_or("", |(_, rest)| rest.trim_start());
        GIVEN.iter().any(|given| rest.starts_with(given))
    })
}

/// The value that code is. An assignment is one to this parameter, or none.
fn meant(code: &str, kind: &Kind, name: &str) -> Option<Json> {
    match source::assigned(code) {
        Some((assigned, right)) if assigned == name => value(right, kind),
        Some(_) => None,
        None => value(code, kind),
    }
}

fn value(code: &str, kind: &Kind) -> Option<Json> {
    let constant = source::constant(code);
    match (kind.value(&constant), kind) {
        (Some(value), _) => Some(value),
        // Code may be what a text holds: a call, a name, a pattern.
        (None, Kind::Text) if constant != Constant::Null => Some(code.into()),
        (None, Kind::Array(of)) if **of == Kind::Text && matches!(constant, Constant::Computed(_)) => {
            Some(Json::Array(vec![code.into()]))
        }
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
        let of = |text: &str, kind: Kind| json!(examples(&plain(text), &kind, "x").0);
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
        assert_eq!(examples(&plain("e.g. `x`"), &Kind::Integer, "x").1, ["x"]);
    }

    #[test]
    fn assignments_and_names_of_other_parameters_are_no_examples() {
        let of = |text: &str, name: &str| examples(&plain(text), &Kind::Text, name);
        assert_eq!(of(r#"e.g. \code{lab = "p"}"#, "lab"), (vec![json!("p")], vec![]));
        assert_eq!(of(r#"e.g. \code{lab <- "p"}"#, "lab"), (vec![json!("p")], vec![]));
        assert_eq!(of(r#"e.g. \code{lab = "p"}"#, "x"), (vec![], vec![r#"lab = "p""#.to_owned()]));
        assert_eq!(of(r#"e.g. \code{"lab = 1"} or \code{lab == 1}"#, "x").0, [json!("lab = 1"), json!("lab == 1")]);
        assert_eq!(of("One of `names_sep` or `names_pattern` must be supplied", "x"), (vec![], vec![]));
        assert_eq!(of(r#"One of `"a"` or `"b"` must be given"#, "x").0, [json!("a"), json!("b")]);
        assert_eq!(of("Must be one of `a` or `b`", "x").0, [json!("a"), json!("b")]);
    }
}

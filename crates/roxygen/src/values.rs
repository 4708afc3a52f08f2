//! Example values in a parameter's text: code behind words such as `e.g.`, as values of its type.

use std::ops::Range;

use formats::type_phrase::ValueType;
use serde_json::Value as Json;

use super::{constant::Constant, plain::Plain, source};

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

/// Functions whose calls are advice on how to set something.
const SETTERS: [&str; 3] = ["options(", "Sys.setenv(", "Sys.setlocale("];

/// The examples in the text of the parameter `name`: values that fit, and code that does not. The names of the formals,
/// its own too, are none.
pub(crate) fn examples(
    plain: &Plain,
    kind: &ValueType,
    name: &str,
    formals: &[&str],
) -> (Vec<Json>, Vec<String>) {
    let (mut values, mut unfit) = (Vec::new(), Vec::new());
    let texts = codes(plain).into_iter().map(|range| &plain.text[range]);
    for code in texts.filter(|code| !formals.contains(code)) {
        match meant(code, kind, name) {
            Some(meant) => meant.into_iter().for_each(|value| {
                if !values.contains(&value) {
                    values.push(value);
                }
            }),
            None => unfit.push(code.to_owned()),
        }
    }
    (values, unfit)
}

/// The pieces of code that are examples. What follows the word `default` is none, and neither is a link, a condition
/// (`e.g. if …`), or the setting of an option.
pub(crate) fn codes(plain: &Plain) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut is_open = false;
    for range in plain.sentences() {
        let sentence = plain.text[range.clone()].to_lowercase();
        is_open = is_open && sentence.trim_start().starts_with("- ");
        for code in
            plain.code.iter().filter(|code| code.start >= range.start && code.end <= range.end)
        {
            let before = sentence.get(..code.start - range.start).unwrap_or_default();
            let text = &plain.text[code.clone()];
            let behind = sentence.get(code.end - range.start..).unwrap_or_default();
            let is_value = !text.is_empty()
                && !plain.links.contains(&code.start)
                && !is_setting(text)
                && !is_condition(before);
            found.extend(
                (is_value && is_example(before, text, behind, is_open)).then(|| code.clone()),
            );
        }
        let ends_open = sentence.trim_end().ends_with(':')
            && TRIGGERS.iter().any(|trigger| sentence.contains(trigger));
        is_open = is_open || ends_open;
    }
    found
}

/// Whether what stands around code makes it an example. `is_open` says that a list of examples goes on.
fn is_example(before: &str, text: &str, behind: &str, is_open: bool) -> bool {
    let is_demand = is_demand(behind) && matches!(source::constant(text), Constant::Computed(_));
    let triggers = TRIGGERS.iter().filter(|trigger| !is_demand || **trigger != "one of");
    let trigger = triggers.filter_map(|trigger| before.rfind(trigger)).max();
    // `One of a and b must be set to TRUE` speaks of other things.
    if trigger.is_some_and(|at| DEMANDS.iter().any(|demand| before[at..].contains(demand))) {
        return false;
    }
    match (trigger, before.rfind("default")) {
        (Some(trigger), Some(default)) => trigger > default,
        (Some(_), None) => true,
        (None, Some(_)) => false,
        (None, None) => is_open,
    }
}

/// Whether code behind this is a condition.
fn is_condition(before: &str) -> bool {
    ["if", "when"].iter().any(|word| before.trim_end().ends_with(&format!(" {word}")))
}

/// Whether code sets something else: `options(digits = 3)`.
fn is_setting(code: &str) -> bool {
    let call = code.split_once('(').map_or("", |(function, _)| function).trim();
    SETTERS.iter().any(|setter| format!("{call}(").ends_with(setter))
}

fn is_demand(behind: &str) -> bool {
    DEMANDS.iter().any(|demand| {
        let rest = behind.split_once(demand).map_or("", |(_, rest)| rest.trim_start());
        GIVEN.iter().any(|given| rest.starts_with(given))
    })
}

/// The values that code is. An assignment is one to this parameter, or none.
fn meant(code: &str, kind: &ValueType, name: &str) -> Option<Vec<Json>> {
    match source::assigned(code) {
        Some((assigned, right)) if assigned == name => values(right, kind),
        Some(_) => None,
        None => values(code, kind),
    }
}

fn values(code: &str, kind: &ValueType) -> Option<Vec<Json>> {
    let constant = source::constant(code);
    match (constant.to_json(kind), kind) {
        (Some(value), _) => Some(vec![value]),
        // Several texts: `"a", "b"`.
        (None, kind) if code.starts_with(['"', '\'']) && constant == Constant::Computed(None) => {
            let Constant::Vector(items) = source::constant(&format!("c({code})")) else {
                return None;
            };
            items.iter().map(|item| item.to_json(kind)).collect()
        }
        // Code may be what a text holds: a call, a name, a pattern.
        (None, ValueType::Text) if constant != Constant::Null => Some(vec![code.into()]),
        (None, ValueType::Array(of))
            if **of == ValueType::Text && matches!(constant, Constant::Computed(_)) =>
        {
            Some(vec![Json::Array(vec![code.into()])])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ValueType, examples};
    use crate::plain::plain;

    #[test]
    fn examples_have_the_type_of_their_parameter() {
        let of = |text: &str, kind: ValueType| json!(examples(&plain(text), &kind, "x", &[]).0);
        assert_eq!(
            of(r#"Example values: \code{"x"}, \code{"y"}"#, ValueType::Text),
            json!(["x", "y"])
        );
        assert_eq!(of(r#"(e.g., \code{"x"}). Default \code{"z"}"#, ValueType::Text), json!(["x"]));
        assert_eq!(
            of(r#"Such as \code{"x"}, by default \code{"z"}"#, ValueType::Text),
            json!(["x"])
        );
        assert_eq!(of(r"such as \code{1}, \code{2L}", ValueType::Integer), json!([1, 2]));
        assert_eq!(of("Examples: `TRUE`", ValueType::Boolean), json!([true]));
        assert_eq!(
            of(r#"For example \code{'{"a": 1}'} and `mean(x)`"#, ValueType::Text),
            json!([r#"{"a": 1}"#, "mean(x)"])
        );
        assert_eq!(
            of(r#"e.g. \code{c("a", "b")} or \code{"c"}"#, ValueType::Text.array()),
            json!([["a", "b"], ["c"]])
        );
        assert_eq!(
            of("Valid values are `a`. Example values: `b`. See `c`.", ValueType::Text),
            json!(["a", "b"])
        );
        assert_eq!(
            of("Common values:\n- `a`\n- `b`\n\nSee `c`", ValueType::Text),
            json!(["a", "b"])
        );
        assert_eq!(of("Uses `a`", ValueType::Text), json!([]));
        assert_eq!(examples(&plain("e.g. `x`"), &ValueType::Integer, "x", &[]).1, ["x"]);
    }

    #[test]
    fn assignments_and_names_of_other_parameters_are_no_examples() {
        let of = |text: &str, name: &str| {
            examples(&plain(text), &ValueType::Text, name, &[name, "side"])
        };
        assert_eq!(of(r#"e.g. \code{lab = "p"}"#, "lab"), (vec![json!("p")], vec![]));
        assert_eq!(of(r#"e.g. \code{lab <- "p"}"#, "lab"), (vec![json!("p")], vec![]));
        assert_eq!(of(r#"e.g. \code{lab = "p"}"#, "x"), (vec![], vec![r#"lab = "p""#.to_owned()]));
        assert_eq!(
            of(r#"e.g. \code{"lab = 1"} or \code{lab == 1}"#, "x").0,
            [json!("lab = 1"), json!("lab == 1")]
        );
        assert_eq!(
            of("One of `names_sep` or `names_pattern` must be supplied", "x"),
            (vec![], vec![])
        );
        assert_eq!(of(r#"One of `"a"` or `"b"` must be given"#, "x").0, [json!("a"), json!("b")]);
        assert_eq!(of("Must be one of `a` or `b`", "x").0, [json!("a"), json!("b")]);
    }

    #[test]
    fn what_only_stands_beside_a_trigger_is_no_example() {
        let of = |text: &str| examples(&plain(text), &ValueType::Text, "x", &["x", "side"]);
        for text in [
            r"A model, e.g. the result of \code{\link{lm}} or \code{\link[stats]{glm}}",
            "A model, e.g. the result of [`lm()`]",
            r#"Set the default e.g. by `options(usethis.destdir = "a")` or `ani.options(convert = "b")`"#,
            "Give one, e.g. when `type == 'a'`, or if `y > 2`",
            "A name and one of `side`",
            "Such as `x`",
            "Exactly one of `x` and `side` must be set to `TRUE`",
        ] {
            assert_eq!(of(text), (vec![], vec![]), "{text}");
        }
        assert_eq!(of(r#"One of \code{"a", "b"}"#).0, [json!("a"), json!("b")]);
        assert_eq!(of(r#"One of \code{"a" or "b"}"#), (vec![], vec![r#""a" or "b""#.to_owned()]));
    }
}

//! Parameters: types, defaults, choices, and whether they are required.

use serde_json::{Value, json};

use crate::package::{
    codes, compile_param, compile_text, read_back, with_code, without_description,
};

fn schema(formal: &str, text: &str) -> Value {
    without_description(compile_param(formal, text).1)
}

fn is_required(text: &str) -> bool {
    let tool = read_back(&compile_param("x", text).0.definitions[0]);
    tool["parameters"]["required"] == json!(["x"])
}

#[test]
fn a_stated_type_comes_before_the_default_and_that_before_a_guess() {
    for (formal, text, expected, code) in [
        ("x = 1", "Character string, it", json!({"type": "string"}), Some("TC161")),
        ("x = 1L", "Its value as a number", json!({"type": "integer", "default": 1}), None),
        ("x", "Its value as a number", json!({"type": "number"}), Some("TC162")),
        ("x", "Whether to print the name", json!({"type": "string"}), Some("TC162")),
        ("x", "An object of class `lm`", json!({"type": "string"}), Some("TC162")),
        ("x", "Function, what to call", json!({"type": "string"}), Some("TC163")),
    ] {
        let (compilation, found) = compile_param(formal, text);
        assert_eq!(without_description(found), expected, "{text}");
        assert_eq!(codes(&compilation), Vec::from_iter(code), "{text}");
    }
}

#[test]
fn uses_the_first_of_several_types_and_keeps_the_text() {
    let (_, found) = compile_param("x", "Numeric or character, the limit");
    let description = "Numeric or character, the limit";
    assert_eq!(found, json!({"type": "number", "description": description}));
}

#[test]
fn a_default_makes_a_stated_type_more_precise() {
    let array = |items: &str, default: Value| json!({"type": "array", "items": {"type": items}, "default": default});
    for (formal, text, expected) in [
        ("x = c(80, 95)", "Vector of levels", array("number", json!([80, 95]))),
        ("x = 1L", "A vector of places", array("integer", json!([1]))),
        ("x = 7L", "Integer vector, ids", array("integer", json!([7]))),
        ("x = c(-1L, 1)", "Numeric, axis limits", array("number", json!([-1, 1]))),
        ("x = c(TRUE, FALSE)", "Logical, flags", array("boolean", json!([true, false]))),
        ("x = list(a = 1)", "A vector of places", json!({"type": "object", "default": {"a": 1}})),
        ("x = c(\"only\")", "Character string", json!({"type": "string", "default": "only"})),
    ] {
        assert_eq!(schema(formal, text), expected, "{formal}: {text}");
    }
}

#[test]
fn the_default_determines_the_type_if_none_is_stated() {
    for (formal, expected) in [
        (
            "x = c(0, 1.5)",
            json!({"type": "array", "items": {"type": "number"}, "default": [0, 1.5]}),
        ),
        ("x = character(0)", json!({"type": "array", "items": {"type": "string"}, "default": []})),
        (
            "x = list(1, 2)",
            json!({"type": "array", "items": {"type": "number"}, "default": [1, 2]}),
        ),
        (
            "x = c(TRUE, 2L)",
            json!({"type": "array", "items": {"type": "integer"}, "default": [1, 2]}),
        ),
        ("x = \"\\101\\60b\"", json!({"type": "string", "default": "A0b"})),
        // JSON has no value for these.
        ("x = -Inf", json!({"type": "number"})),
        ("x = NA_integer_", json!({"type": "integer"})),
        ("x = c(1, NA)", json!({"type": "array", "items": {"type": "number"}})),
        ("x = list(a = 1, 2)", json!({"type": "object"})),
    ] {
        let (compilation, found) = compile_param(formal, "What to take");
        assert_eq!(without_description(found), expected, "{formal}");
        let is_reported = codes(&compilation).iter().any(|code| ["TC160", "TC161"].contains(code));
        assert_eq!(is_reported, expected.get("default").is_none(), "{formal}");
    }
}

#[test]
fn a_computed_default_is_a_comment_with_the_type_of_the_expression() {
    for (default, expected) in [
        ("2/3", json!({"type": "number"})),
        ("2 * n", json!({"type": "number"})),
        ("-sqrt(2)", json!({"type": "number"})),
        ("length(y)", json!({"type": "integer"})),
        ("1:3", json!({"type": "array", "items": {"type": "number"}})),
        ("rep(1, n)", json!({"type": "array", "items": {"type": "number"}})),
        ("c(0, max(y))", json!({"type": "array", "items": {"type": "number"}})),
        ("n > 2", json!({"type": "boolean"})),
        ("!y", json!({"type": "boolean"})),
        ("is.null(y)", json!({"type": "boolean"})),
        ("list(a = y)", json!({"type": "object"})),
        ("n + m", json!({"type": "string"})),
        ("\"\\033[39m\"", json!({"type": "string"})),
        ("getOption(\"x\")", json!({"type": "string"})),
    ] {
        let (compilation, found) = compile_param(&format!("x = {default}"), "What to take");
        let mut expected = expected;
        expected["$comment"] = format!("R default: {default}").into();
        assert_eq!(without_description(found), expected);
        assert!(codes(&compilation).contains(&"TC159"), "{default}");
    }
}

#[test]
fn a_plural_name_has_choices_without_a_default() {
    for (name, default) in
        [("mode", Some("a")), ("status", Some("a")), ("modes", None), ("logLevels2", None)]
    {
        let found = schema(&format!("{name} = c(\"a\", \"b\")"), "Which to take");
        let choices = if default.is_some() { &found["enum"] } else { &found["items"]["enum"] };
        assert_eq!(*choices, json!(["a", "b"]));
        assert_eq!(found.get("default").and_then(Value::as_str), default, "{name}");
    }
}

#[test]
fn bounds_need_a_default_within_them() {
    let bounded = json!({"type": "number", "minimum": 0, "maximum": 1, "default": 0.5});
    assert_eq!(schema("x = 0.5", "Weight, between 0 and 1"), bounded);
    let other = json!({"type": "integer", "default": 20});
    assert_eq!(schema("x = 20L", "Integer, rows between 1 and 10 are shown"), other);
}

#[test]
fn null_is_allowed_only_if_the_text_allows_it() {
    for text in ["Number, or NULL", "Numeric or NULL, the limit", "Numeric. If `NULL`, no limit"] {
        assert_eq!(schema("x", text)["type"], json!(["number", "null"]), "{text}");
        assert!(!is_required(text), "{text}");
    }
    assert_eq!(schema("x", "Numeric, must not be NULL")["type"], "number");
}

#[test]
fn a_text_can_make_a_parameter_optional() {
    for text in ["Number, optional", "Number, the limit (default 3)", "Number. Defaults to 3"] {
        assert!(!is_required(text), "{text}");
    }
    for text in ["Number, the limit", "Number, a non-optional limit"] {
        assert!(is_required(text), "{text}");
    }
}

#[test]
fn items_may_be_null_if_the_text_mentions_na() {
    for (text, items) in [
        ("Numeric vector, the values", json!({"type": "number"})),
        ("Numeric vector, `NA`s are left out", json!({"type": ["number", "null"]})),
        (
            "Numeric matrix, NA where unknown",
            json!({"type": "array", "items": {"type": ["number", "null"]}}),
        ),
        ("Data frame, NA where unknown", json!({"type": "object"})),
    ] {
        assert_eq!(schema("x", text)["items"], items, "{text}");
    }
    let choices = schema("x = c(\"a\", \"b\")", "Character vector, NA for none");
    assert_eq!(choices["items"], json!({"type": ["string", "null"], "enum": ["a", "b", null]}));
}

#[test]
fn an_example_must_be_one_of_the_choices() {
    let text = "Character string, one of `c(\"a\", \"b\")`, e.g. `\"a\"` or `\"z\"`";
    let (compilation, found) = compile_param("x = c(\"a\", \"b\")", text);
    assert_eq!(found["examples"], json!(["a"]));
    let messages: Vec<_> = with_code(&compilation.diagnostics, "TC165")
        .into_iter()
        .map(|found| found.message.as_str())
        .collect();
    assert_eq!(messages, ["the example `z` of `x` is not one of its choices, so it is left out"]);
}

#[test]
fn conditional_examples_are_shown_after_unconditional_ones() {
    let compilation = compile_text(
        "#' T\n#' @examples\n#' f()\n#' @examplesIf interactive()\n#' f(2)\n#' @keywords mcp-tool\nf <- function(x = 1) x\n",
    );
    let definition = &compilation.definitions[0];
    assert_eq!(read_back(definition)["implementation_example"], "f()\nf(2)\n");
    let example = definition.example.as_ref().expect("an example");
    assert_eq!((example.run.as_str(), &example.condition), ("f()", &None));
}

#[test]
fn only_the_default_of_a_parameter_makes_it_optional() {
    for text in [
        "Numeric. Default is 3",
        "Numeric (default 3)",
        "Numeric, default: 3",
        "Numeric. Defaults to the mean",
        "Numeric; by default the mean",
        "Numeric, the default value is the mean",
        "Numeric. Default \\code{NULL}",
    ] {
        assert!(!is_required(text), "{text}");
    }
    for text in [
        "Pattern to look for. The default interpretation is a regular expression",
        "Character string, the defaulted account",
    ] {
        assert!(is_required(text), "{text}");
    }
}

#[test]
fn a_test_for_missing_does_not_make_a_parameter_optional() {
    let compilation = compile_text(
        "#' T\n#' @param x Character string, it\n#' @examples f()\n#' @keywords mcp-tool\n\
         f <- function(x) {\n  if (missing(x)) return(list(success = FALSE, error = \"x is required\"))\n}\n",
    );
    let tool = read_back(&compilation.definitions[0]);
    assert_eq!(tool["parameters"]["required"], json!(["x"]));
}

#[test]
fn several_choices_are_an_array() {
    let array = json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}});
    let one = json!({"type": "string", "enum": ["a", "b"], "default": "a"});
    for (formal, text, expected) in [
        ("columns = c(\"a\", \"b\")", "Character, the columns", &array),
        ("columns = c(\"a\", \"b\")", "What to show", &array),
        ("column = c(\"a\", \"b\")", "Character, the column", &one),
    ] {
        assert_eq!(schema(formal, text), *expected, "{formal}: {text}");
    }
    for (call, expected) in [
        ("match.arg(mode, several.ok = TRUE)", &array),
        ("match.arg(arg = mode,\n    c(\"a\", \"b\"),\n    several.ok=TRUE)", &array),
        ("rlang::arg_match(mode, multiple = TRUE)", &array),
        ("match.arg(mode); f(several.ok = TRUE)", &one),
        ("# match.arg(mode, several.ok = TRUE)", &one),
    ] {
        let compilation = compile_text(&format!(
            "#' T\n#' @param mode Character string, it\n#' @examples f()\n#' @keywords mcp-tool\n\
             f <- function(mode = c(\"a\", \"b\")) {{\n  mode <- {call}\n}}\n"
        ));
        let tool = read_back(&compilation.definitions[0]);
        let found = without_description(tool["parameters"]["properties"]["mode"].clone());
        assert_eq!(found, *expected, "{call}");
    }
}

#[test]
fn a_person_overrides_what_is_inferred() {
    let compile_with = |tags: &str| {
        compile_text(&format!(
            "#' T\n#' @param width Minimum width of padded strings\n#' @param pad Default is a blank\n\
             {tags}#' @examples f()\n#' @keywords mcp-tool\nf <- function(width, pad, side = NULL) 1\n"
        ))
    };
    let compilation = compile_with(
        "#' @mcp-type width integer\n#' @mcp-type side,pad character vector\n\
         #' @mcp-required pad side\n#' @mcp-optional width\n",
    );
    let parameters = &read_back(&compilation.definitions[0])["parameters"];
    assert_eq!(parameters["required"], json!(["pad", "side"]));
    let types = ["width", "pad", "side"].map(|name| &parameters["properties"][name]["type"]);
    assert_eq!(types, [&json!("integer"), &json!("array"), &json!(["array", "null"])]);
    let both = compile_text(
        "#' T\n#' @param n Integer, a number\n#' @mcp-required n\n#' @examples f()\n\
         #' @keywords mcp-tool\nf <- function(n = 3L) 1\n",
    );
    let property = &read_back(&both.definitions[0])["parameters"]["properties"]["n"];
    assert_eq!(property.get("default"), None, "no default applies to a required parameter");
    let found =
        compile_with("#' @mcp-type widht integer\n#' @mcp-type pad thing\n#' @mcp-typ x integer\n");
    let messages: Vec<_> = found
        .diagnostics
        .iter()
        .filter(|found| !["TC162", "TC155"].contains(&found.code))
        .map(|found| {
            format!(
                "{} {} {}: {}",
                found.severity.as_str(),
                found.code,
                found.message,
                found.hint.as_deref().unwrap_or_default()
            )
        })
        .collect();
    insta::assert_snapshot!(messages.join("\n"), @r"
    warning TC153 `@mcp-typ` is not a tag, so it has no effect: did you mean `@mcp-type`?
    warning TC156 `@mcp-type` names `widht`, but `f` has no such formal: correct the name
    warning TC723 `thing` is not a type, so `@mcp-type` has no effect: write `string`, `integer`, `number`, `logical`, `list`, `data frame`, or a vector such as `integer vector`
    ");
    let found = compile_with("#' @mcp-dangerous\n");
    assert!(found.definitions.is_empty(), "a safety keyword must not get lost");
    assert_eq!(codes(&found), ["TC153"]);
}

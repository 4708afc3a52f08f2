//! How people really write roxygen2: types, markup and defaults of packages in the wild.

use catalog::SourceId;
use roxygen::{Compiled, Measured, compile};
use serde_json::{Value, json};

fn build(text: &str) -> Compiled {
    compile("pkg", &[(SourceId::new("R/a.R"), text.to_owned())])
}

/// The file of the first tool, as a reader of YAML has it.
fn document(compiled: &Compiled) -> Value {
    formats::yaml_value(&compiled.definitions[0].to_yaml(&Measured::default())).expect("YAML")
}

fn codes(compiled: &Compiled) -> Vec<&str> {
    compiled.diagnostics.iter().map(|found| found.code).collect()
}

/// The schema of what a function `f` returns, and whether its type was guessed.
fn returned(text: &str) -> (Value, bool) {
    let compiled =
        build(&format!("#' T\n#' @return {text}\n#' @keywords mcp-tool\nf <- function() 1\n"));
    let mut schema = document(&compiled)["returns"].clone();
    schema.as_object_mut().map(|schema| schema.remove("description"));
    (schema, codes(&compiled).contains(&"TC162"))
}

#[test]
fn words_deep_in_the_text_never_say_what_is_returned() {
    for text in [
        "A labeller function that takes a numeric vector of breaks and returns a character vector of labels.",
        "The fitted model, which contains a numeric vector of coefficients.",
        "`g()` returns a data frame. `h()` and `i()` return a logical vector.",
        "An object of class `lm` with a numeric vector",
        "A character vector or a list",
        "The same type as the input",
        "`f` returns a single element; `g` returns a numeric vector",
    ] {
        assert_eq!(
            returned(text),
            (json!({"type": "string"}), true),
            "{text}: the text that R prints, with a note"
        );
    }
}

#[test]
fn what_is_plainly_returned_counts() {
    let rows = || json!({"type": "array", "items": {"type": "object"}});
    let truth = || json!({"type": "boolean"});
    for (text, schema) in [
        ("`f()` always returns a data frame. `g()` returns a scalar logical.", rows()),
        ("`g()` always returns a data frame. `f()` returns a scalar logical.", truth()),
        (
            "`g()` returns a tibble. `h()` and `f()` return a logical vector.",
            json!({"type": "array", "items": {"type": "boolean"}}),
        ),
        ("Returns a data frame with a numeric column", rows()),
        ("The function returns a data frame", rows()),
        (
            "A vector of things",
            json!({"type": "array", "items": {"type": ["string", "number", "boolean"]}}),
        ),
        ("A vector of numerical values", json!({"type": "array", "items": {"type": "number"}})),
        (
            "A list of character vectors",
            json!({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
        ),
        (
            "A list of integer matrices",
            json!({"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}}),
        ),
        ("Invisibly, a data frame", rows()),
        ("(Invisibly) `TRUE` if it worked", truth()),
        (
            "`f` returns a numeric vector; `g` returns a data frame",
            json!({"type": "array", "items": {"type": "number"}}),
        ),
        ("Data frame or NULL", json!({"type": ["array", "null"], "items": {"type": "object"}})),
        ("`TRUE` or `FALSE`", truth()),
    ] {
        assert_eq!(returned(text), (schema, false), "{text}");
    }
}

/// The tool of a function with one formal, and that formal's schema.
fn parameter(formal: &str, text: &str) -> (Compiled, Value) {
    let name = formal.split([' ', '=']).next().unwrap_or_default();
    let text = text.replace('\n', "\n#'   ");
    let compiled = build(&format!(
        "#' T\n#' @param {name} {text}\n#' @examples f()\n#' @keywords mcp-tool\nf <- function({formal}) 1\n"
    ));
    let schema = document(&compiled)["parameters"]["properties"][name].clone();
    (compiled, schema)
}

#[test]
fn null_in_a_condition_is_a_value_too() {
    for text in [
        "Numeric. If `NULL`, the range of the values",
        "Number, or NULL",
        "Numeric, the limit. `NULL` means no limit",
        "Numeric, the limit. Use `NULL` for none",
    ] {
        let (compiled, schema) = parameter("x", text);
        assert_eq!(schema["type"], json!(["number", "null"]), "{text}");
        assert_eq!(document(&compiled)["parameters"]["required"], json!([]), "{text}");
    }
    let (compiled, schema) = parameter("x", "Numeric, must not be NULL if the file is new");
    assert_eq!(
        (&schema["type"], &document(&compiled)["parameters"]["required"]),
        (&json!("number"), &json!(["x"]))
    );
}

#[test]
fn items_may_be_missing_where_the_text_says_so() {
    let items = |text: &str| parameter("x", text).1["items"].clone();
    assert_eq!(items("Numeric vector, the values"), json!({"type": "number"}));
    assert_eq!(items("Numeric vector, `NA`s are left out"), json!({"type": ["number", "null"]}));
    assert_eq!(items("Logical vector with missing values"), json!({"type": ["boolean", "null"]}));
    assert_eq!(
        items("Numeric matrix, NA where unknown"),
        json!({"type": "array", "items": {"type": ["number", "null"]}})
    );
    assert_eq!(items("Data frame, NA where unknown"), json!({"type": "object"}));
    let choices = parameter("x = c(\"a\", \"b\")", "Character vector, or NA").1;
    assert_eq!(choices["items"], json!({"type": ["string", "null"], "enum": ["a", "b", null]}));
}

#[test]
fn code_that_roxygen_would_run_does_not_leak() {
    let (_, schema) =
        parameter("x", "`r lifecycle::badge(\"deprecated\")` Integer, use `y` instead");
    assert_eq!(
        schema,
        json!({"type": "integer", "description": "(deprecated) Integer, use y instead"})
    );
    let (_, schema) = parameter("x", "Integer, at most `r max_rows` rows of `r`");
    assert_eq!(schema["description"], "at most max_rows rows of r");
    let badged = build(
        "#' T\n#' @description\n#' `r badge('superseded')`\n#'\n#' Does it.\n#' @keywords mcp-tool\nf <- function() 1\n",
    );
    assert_eq!(document(&badged)["description"], "(superseded)\n\nDoes it.");
}

#[test]
fn a_link_to_a_topic_is_its_text() {
    for (text, kind, description) in [
        (
            "A [data.frame] with rows, see [POSIXct] and [file.remove].",
            "array",
            "A data.frame with rows, see POSIXct and file.remove",
        ),
        ("A [character] vector of things", "array", "A character vector of things"),
        ("[integer] the count", "integer", "the count"),
        ("[data.frame] with rows", "array", "data.frame with rows"),
        (
            "Integer, [the page](http://x), [text][topic] and [pkg::topic]",
            "integer",
            "the page, text and pkg::topic",
        ),
        ("Integer, in [0, 1) or x[i] or [1]", "integer", "in [0, 1) or x[i] or [1]"),
    ] {
        let (_, schema) = parameter("x", text);
        assert_eq!(
            (&schema["type"], &schema["description"]),
            (&json!(kind), &json!(description)),
            "{text}"
        );
    }
    assert_eq!(
        returned("A [tibble]"),
        (json!({"type": "array", "items": {"type": "object"}}), false)
    );
}

#[test]
fn a_default_without_json_form_still_says_its_type() {
    for (default, schema) in [
        ("x = Inf", json!({"type": "number"})),
        ("x = -Inf", json!({"type": "number"})),
        ("x = NA_integer_", json!({"type": "integer"})),
        ("x = integer(0)", json!({"type": "integer"})),
        ("x = character(0)", json!({"type": "string"})),
        (
            "ids = character(0)",
            json!({"type": "array", "items": {"type": "string"}, "default": []}),
        ),
        ("x = c(1, NA)", json!({"type": "array", "items": {"type": "number"}})),
        (
            "x = list(1, 2)",
            json!({"type": "array", "items": {"type": "number"}, "default": [1, 2]}),
        ),
        ("x = list(a = 1, 2)", json!({"type": "object"})),
        (
            "x = c(TRUE, 2L)",
            json!({"type": "array", "items": {"type": "integer"}, "default": [1, 2]}),
        ),
    ] {
        let (compiled, mut found) = parameter(default, "What to take");
        found.as_object_mut().map(|found| found.remove("description"));
        assert_eq!(found, schema, "{default}");
        let said: Vec<_> =
            compiled.diagnostics.iter().map(|found| found.message.as_str()).collect();
        assert!(said.iter().all(|said| !said.contains("as the text says")), "{said:?}");
        assert!(!codes(&compiled).contains(&"TC162"), "{default}");
        let is_reported = codes(&compiled).iter().any(|code| ["TC160", "TC161"].contains(code));
        assert_eq!(is_reported, schema.get("default").is_none(), "{default}: {said:?}");
    }
}

#[test]
fn what_a_text_is_about_is_not_what_is_given() {
    let kind = |formal: &str, text: &str| parameter(formal, text).1["type"].clone();
    assert_eq!(kind("width", "Minimum width of padded strings"), "string");
    assert_eq!(kind("width", "The width of the input, e.g. `\"100%\"`"), "string");
    assert_eq!(kind("size", "Number of groups"), "number");
    assert_eq!(kind("label", "Name of the sample"), "string");
    assert_eq!(kind("z", "The parameter of the function, must be between -1 and 1 here"), "number");
    assert_eq!(kind("model", "An object of class \"formula\""), "string");
    assert_eq!(kind("data", "Object of class `data.frame` with the cases"), "array");
    assert_eq!(kind("model", "An object of class `lm`"), "object");
    assert_eq!(
        codes(&parameter("model", "An object of class `lm`").0),
        ["TC163"],
        "which JSON cannot carry"
    );
    assert_eq!(kind("flag", "Whether to print the name"), "string", "no type is named");
    assert_eq!(kind("code", "The expression to run after a number of seconds"), "string");
    assert_eq!(kind("palette", "The colors to use. Can be a numeric vector, too"), "array");
    assert_eq!(
        kind("call", "A clustering function of a numeric vector"),
        "string",
        "what it takes is not what it is"
    );
    assert_eq!(kind("model", "A formula `a ~ b`, where a (numeric) is the response"), "string");
    assert_eq!(kind("width = 10", "Minimum width of padded strings"), "number");
    assert_eq!(
        kind("env_vars = c(A = \"true\")", "Environment variables set during the check"),
        "string"
    );
    let (compiled, widths) =
        parameter("widths = 1", "(optional) numerical vector of relative widths");
    assert_eq!((&widths["items"], &widths["default"]), (&json!({"type": "number"}), &json!([1])));
    assert_eq!(codes(&compiled), [""; 0]);
    assert_eq!(
        returned("A numeric or character vector"),
        (json!({"type": "string"}), true),
        "which one, nobody knows"
    );
}

#[test]
fn of_several_types_the_first_counts() {
    let schema = |formal: &str, text: &str| {
        let mut schema = parameter(formal, text).1;
        schema.as_object_mut().map(|schema| schema.remove("description"));
        schema
    };
    let array = |items: &str| json!({"type": "array", "items": {"type": items}});
    assert_eq!(schema("x", "Numeric or character vector"), array("number"));
    assert_eq!(schema("x", "A character, integer or logical vector"), array("string"));
    assert_eq!(schema("x", "A numeric vector or a character vector"), array("number"));
    assert_eq!(
        schema("x = 2", "An integer or a character vector"),
        json!({"type": "integer", "default": 2})
    );
    assert_eq!(
        schema("x = NULL", "Character string or number"),
        json!({"type": ["string", "null"], "default": null})
    );
    assert_eq!(schema("x", "A vector of numbers or strings"), array("number"));
    assert_eq!(
        schema("x = list(a = 1)", "a vector of places"),
        json!({"type": "object", "default": {"a": 1}})
    );
    assert_eq!(
        schema("x = c(\"a\", \"b\")", "Numeric or character, which one"),
        json!({"type": "string", "enum": ["a", "b"], "default": "a"}),
        "the default lists what is taken"
    );
    let matrix =
        || json!({"type": "array", "items": {"type": "array", "items": {"type": "number"}}});
    assert_eq!(schema("x", "A matrix or data frame"), matrix());
}

#[test]
fn other_types_stay_in_the_text() {
    for text in [
        "Numeric vector, data matrix or data frame",
        "A vector of numeric, factor, or logical values",
        "A numeric matrix, data frame or vector",
        "Numeric or character, the limit",
        "Date, POSIXt, character, or any data that becomes one",
    ] {
        assert_eq!(parameter("x", text).1["description"], text);
    }
    assert_eq!(
        parameter("x", "Numeric or character vector, the limits").1["description"],
        "the limits"
    );
    assert_eq!(parameter("x", "Numeric, list of limits").1["description"], "list of limits");
}

#[test]
fn tables_may_be_of_some_sort() {
    let rows = json!({"type": "object"});
    let cells = json!({"type": "array", "items": {"type": "number"}});
    for (text, items) in [
        ("a (grouped) data frame", &rows),
        ("A tidy-formatted data frame of results", &rows),
        ("a numeric data frame or matrix", &rows),
        ("Covariance matrix (d x d)", &cells),
        ("the correlation matrix to visualize", &cells),
        ("A numeric data matrix", &cells),
        ("An n by p matrix of values", &cells),
        ("The predicted vector of documents", &json!({"type": "string"})),
        ("Cross-validation results dataframe. All of them", &rows),
    ] {
        let schema = parameter("x", text).1;
        assert_eq!((&schema["items"], &schema["description"]), (items, &json!(text)), "{text}");
    }
    for text in [
        "The name of a matrix",
        "The design matrix column",
        "Print data frame",
        "Use matrix for it",
    ] {
        assert_eq!(parameter("x", text).1["type"], "string", "{text}");
    }
}

#[test]
fn a_default_says_what_a_vector_holds() {
    for (formal, text, schema) in [
        (
            "ci = c(80, 95)",
            "vector of levels to draw",
            json!({"items": {"type": "number"}, "default": [80, 95]}),
        ),
        ("rg = 1L", "a vector of places", json!({"items": {"type": "integer"}, "default": [1]})),
        (
            "x = character()",
            "character the places",
            json!({"items": {"type": "string"}, "default": []}),
        ),
        ("x = \"a\"", "a vector of places", json!({"items": {"type": "string"}, "default": ["a"]})),
        ("x", "non-negative vector of places", json!({"items": {"type": "number"}})),
        ("x", "numeric (vector of places)", json!({"items": {"type": "number"}})),
        ("x", "a character-vector of places", json!({"items": {"type": "string"}})),
        ("x", "logical of the same length as y", json!({"items": {"type": "boolean"}})),
        ("x", "numeric of length 2, the ends", json!({"items": {"type": "number"}})),
    ] {
        let mut found = parameter(formal, text).1;
        found.as_object_mut().map(|found| found.remove("description"));
        let mut schema = schema;
        schema["type"] = "array".into();
        assert_eq!(found, schema, "{formal}: {text}");
    }
}

#[test]
fn one_value_is_one_however_its_length_is_written() {
    for (text, kind) in [
        ("character(1L) the name", "string"),
        ("integer(1) the count", "integer"),
        ("numeric of length 1", "number"),
        ("a character-string for the title", "string"),
    ] {
        assert_eq!(parameter("x", text).1["type"], kind, "{text}");
    }
}

#[test]
fn what_is_computed_has_a_type_all_the_same() {
    for (default, schema) in [
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
        let (compiled, found) = parameter(&format!("x = {default}"), "What to take");
        let mut schema = schema;
        schema["description"] = "What to take".into();
        schema["$comment"] = format!("R default: {default}").into();
        assert_eq!(found, schema);
        assert!(codes(&compiled).contains(&"TC159"), "{default}");
    }
}

#[test]
fn a_default_that_is_another_formal_has_its_type() {
    let text = "#' T\n#' @param x How\n#' @param y What\n#' @keywords mcp-tool\nf <- function(x = y, y = FALSE) 1\n";
    assert_eq!(document(&build(text))["parameters"]["properties"]["x"]["type"], "boolean");
}

#[test]
fn an_example_that_is_no_choice_is_said_as_that() {
    let formal = "x = c(\"a\", \"b\")";
    let (compiled, schema) =
        parameter(formal, "Character string, one of `c(\"a\", \"b\")`, e.g. `\"a\"` or `\"z\"`");
    assert_eq!(schema["examples"], json!(["a"]));
    let said: Vec<_> = compiled.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(said, ["the example `z` of `x` is none of its choices and is left out"]);
}

#[test]
fn code_with_a_condition_is_shown_beside_code_without() {
    let text = "#' T\n#' @examples\n#' f()\n#' @examplesIf interactive()\n#' f(2)\n#' @keywords mcp-tool\nf <- function(x = 1) x\n";
    let compiled = build(text);
    assert_eq!(document(&compiled)["implementation_example"], "f()\nf(2)\n");
    let example = compiled.definitions[0].example.as_ref().expect("an example");
    assert_eq!((example.run.as_str(), &example.condition), ("f()", &None));
}

#[test]
fn a_dash_behind_the_name_is_not_part_of_the_text() {
    let (_, schema) = parameter("x", "- numeric vector, the values");
    assert_eq!(
        (&schema["items"]["type"], &schema["description"]),
        (&json!("number"), &json!("the values"))
    );
    assert_eq!(parameter("x", "- one\n- two").1["description"], "- one\n- two", "this is a list");
}

#[test]
fn octal_escapes_are_read() {
    assert_eq!(parameter("x = \"\\101\\60b\"", "What to take").1["default"], "A0b");
}

#[test]
fn a_function_that_may_be_named_has_choices() {
    let (_, schema) =
        parameter("tol = c(\"none\", \"abs\")", "A function or one of the shortcut strings");
    assert_eq!((&schema["enum"], &schema["default"]), (&json!(["none", "abs"]), &json!("none")));
}

#[test]
fn null_and_no_more_is_nothing_to_return() {
    for text in ["`NULL`. A page is opened", "NULL; called for its side effect"] {
        assert_eq!(returned(text).0, Value::Null, "{text}");
    }
}

#[test]
fn what_a_function_asks_missing_about_may_be_left_out() {
    let required = |body: &str| {
        let text = format!(
            "#' T\n#' @param x Number, one\n#' @param y Number, two\n#' @keywords mcp-tool\nf <- function(x, y) {body}\n"
        );
        document(&build(&text))["parameters"]["required"].clone()
    };
    assert_eq!(required("x"), json!(["x", "y"]));
    assert_eq!(required("{ if (missing(x)) x <- 2\n x }"), json!(["y"]));
    assert_eq!(required("{ if (missing(x)) stop('x')\n x }"), json!(["x", "y"]));
    assert_eq!(required("if (missing(x) && missing(y)) stop('one of both') else 1"), json!([]));
    let optional =
        |text: &str| document(&parameter("x", text).0)["parameters"]["required"] == json!([]);
    assert!(optional("Number, the limit (one is found if not specified)"));
    assert!(optional("Number, the limit, by default 3"));
    assert!(
        !optional("Data frame, the cases. Distances are found for rows by default"),
        "the default is another one"
    );
}

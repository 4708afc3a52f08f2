//! `@return` as a schema.

use serde_json::{Value, json};

use crate::package::{codes, compile_text, read_back, without_description};

/// The schema of the result of a function with this `@return`, without its description, and
/// whether its type was assumed.
fn compile_return(text: &str) -> (Value, bool) {
    let compilation = compile_text(&format!(
        "#' T\n#' @return {text}\n#' @keywords mcp-tool\nf <- function() 1\n"
    ));
    let schema = read_back(&compilation.definitions[0])["returns"].clone();
    (without_description(schema), codes(&compilation).contains(&"TC162"))
}

#[test]
fn the_leading_type_is_the_type_of_the_result() {
    for (text, schema) in [
        ("Integer, a count", json!({"type": "integer"})),
        ("`TRUE` or `FALSE`", json!({"type": "boolean"})),
        ("A vector of numbers", json!({"type": "array", "items": {"type": "number"}})),
        (
            "A vector of things",
            json!({"type": "array", "items": {"type": ["string", "number", "boolean"]}}),
        ),
        ("Data frame or NULL", json!({"type": ["array", "null"], "items": {"type": "object"}})),
        ("Returns a data frame", json!({"type": "array", "items": {"type": "object"}})),
        ("(Invisibly) `TRUE` if it worked", json!({"type": "boolean"})),
        ("Invisibly, a [tibble]", json!({"type": "array", "items": {"type": "object"}})),
    ] {
        assert_eq!(compile_return(text), (schema, false), "{text}");
    }
}

#[test]
fn a_result_without_a_clear_type_is_the_text_that_r_prints() {
    for text in [
        "The fitted model, which contains a numeric vector of coefficients.",
        "An object of class `lm` with a numeric vector",
        "A character vector or a list",
        "The same type as the input",
    ] {
        assert_eq!(compile_return(text), (json!({"type": "string"}), true), "{text}");
    }
}

#[test]
fn null_and_no_value_are_not_results() {
    for text in [
        "Nothing",
        "None",
        "NULL",
        "`NULL`. A page is opened",
        "Invisible NULL",
        "Invisibly returns `NULL`, called for its side effect",
        "No return value, called for side effects",
    ] {
        assert_eq!(compile_return(text), (Value::Null, false), "{text}");
    }
}

#[test]
fn parts_of_a_data_frame_are_its_columns() {
    let (schema, _) =
        compile_return("Data frame with\n#' \\describe{\n#'   \\item{n}{Integer, a count}\n#' }");
    let columns = json!({"n": {"type": "integer", "description": "a count"}});
    let rows = json!({"type": "object", "properties": columns});
    assert_eq!(schema, json!({"type": "array", "items": rows}));
}

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

#[test]
fn a_list_of_described_lists_is_an_array_of_records() {
    let describe = "\n#' \\describe{\n#'   \\item{n}{Integer, a count}\n#' }";
    let record = json!({
        "type": "object",
        "properties": {"n": {"type": "integer", "description": "a count"}},
    });
    for (intro, is_array) in [
        ("List of surfaces, each containing:", true),
        ("A list of named lists with", true),
        ("List of records:", true),
        ("A list; every element has", false),
        ("List of the following elements:", false),
        ("A list with", false),
    ] {
        let (schema, _) = compile_return(&format!("{intro}{describe}"));
        let array = json!({"type": "array", "items": record});
        assert_eq!(schema, if is_array { array } else { record.clone() }, "{intro}");
    }
    let (schema, _) = compile_return(&format!(
        "A list with \\describe{{\n#' \\item{{all}}{{List of items, each with{describe}}}\n#' }}"
    ));
    assert_eq!(without_description(schema["properties"]["all"].clone())["type"], "array");
}

#[test]
fn lists_of_named_parts_are_properties() {
    let parts = json!({
        "n": {"type": "integer", "description": "a count"},
        "name": {"type": "string", "description": "its name"},
    });
    for list in [
        "\\itemize{\n#'   \\item n: Integer, a count\n#'   \\item \\code{name}: Character, its name\n#' }",
        "\\itemize{\n#'   \\item{n}{Integer, a count}\n#'   \\item{name}{Character, its name}\n#' }",
        "\n#' - `n`: Integer, a count\n#' - `name`: Character, its name\n#'",
        "\n#' * n - Integer, a count\n#' * **name** (Character): its name",
    ] {
        let (schema, is_guess) = compile_return(&format!("A list with {list}"));
        assert_eq!((&schema["properties"], is_guess), (&parts, false), "{list}");
    }
    let prose = "Character string, with\n#' - spaces around\n#' - a colon: in the text";
    assert_eq!(compile_return(prose).0, json!({"type": "string"}), "a list about something else");
}

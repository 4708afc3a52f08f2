//! Markup in the text of a parameter.

use serde_json::json;

use crate::package::{compile_param, compile_text, read_back};

#[test]
fn inline_r_code_is_not_evaluated() {
    let badge = "`r lifecycle::badge(\"deprecated\")` Integer, use `y` instead";
    let (_, schema) = compile_param("x", badge);
    let description = "(deprecated) Integer, use y instead";
    assert_eq!(schema, json!({"type": "integer", "description": description}));
    let (_, schema) = compile_param("x", "Integer, at most `r max_rows` rows of `r`");
    assert_eq!(schema["description"], "at most max_rows rows of r");
    let compilation = compile_text(
        "#' T\n#' @description\n#' `r badge('superseded')`\n#'\n#' Does it.\n#' @keywords mcp-tool\nf <- function() 1\n",
    );
    let tool = read_back(&compilation.definitions[0]);
    assert_eq!(tool["description"], "(superseded)\n\nDoes it.");
}

#[test]
fn links_are_replaced_by_their_text() {
    for (text, schema_type, description) in [
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
        let (_, schema) = compile_param("x", text);
        assert_eq!(
            (&schema["type"], &schema["description"]),
            (&json!(schema_type), &json!(description))
        );
    }
}

#[test]
fn a_dash_after_the_name_is_not_part_of_the_text() {
    let (_, schema) = compile_param("x", "- numeric vector, the values");
    assert_eq!((&schema["type"], &schema["description"]), (&json!("array"), &json!("the values")));
    let (_, schema) = compile_param("x", "- one\n- two");
    assert_eq!(schema["description"], "- one\n- two", "this is a list");
}

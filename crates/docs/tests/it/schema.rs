//! Schemas as lists of arguments.

use catalog::Schema;
use docs::schema_to_markdown;
use serde_json::json;

use crate::sample_tools::schema;

#[test]
fn lists_arguments_with_type_default_and_description() {
    let schema = schema(json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Whom to greet.\nBy first name."},
            "mode": {"type": "string", "enum": ["soft", "loud"], "default": "soft", "description": "How."},
            "really": {"type": "string", "const": "YES"},
            "age": {"type": ["integer", "null"], "default": null},
            "kind": {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string", "const": "b"}]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "limits": {"type": "object", "additionalProperties": {"type": "number"}},
            "value": {"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        },
        "required": ["name", "really"],
    }));
    insta::assert_snapshot!(schema_to_markdown(&schema), @r#"
    ## Arguments

    - **name** (required): string
      - Whom to greet.
      - By first name.
    - **mode** (optional, default "soft"): enum: "soft", "loud"
      - How.
    - **really** (required): always "YES"
    - **age** (optional): integer or null
    - **kind** (optional): enum: "a", "b"
    - **tags** (optional): array of string
    - **limits** (optional): map of number
    - **value** (optional): boolean or array of string or null
    "#);
}

#[test]
fn is_empty_without_arguments() {
    assert_eq!(schema_to_markdown(&Schema::empty()), "");
}

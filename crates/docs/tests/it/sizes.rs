//! Descriptions by size, and lists of arguments.

use catalog::{Consent, Example, Implementation, Origin, Schema, SourceId, Tool};
use docs::{Size, description, schema_markdown};
use serde_json::{Value, json};

fn schema(value: Value) -> Schema {
    Schema::new(value.as_object().expect("an object").clone())
}

/// A native tool with all there is to say about it, served under a prefix.
fn tool() -> Tool {
    let input = schema(json!({
        "type": "object",
        "properties": {"name": {"type": "string", "description": "Whom."}, "loud": {"type": "boolean", "default": false}},
        "required": ["name"],
    }));
    let mut tool = Tool::new(
        "guide_greet",
        "Greets somebody.",
        input,
        Implementation::Native,
        Origin::whole(&SourceId::new("native:greet")),
    );
    tool.bare_name = Some("greet".to_owned());
    tool.description.usage = Some("Once per person.".to_owned());
    let arguments = json!({"name": "Ada"}).as_object().expect("an object").clone();
    tool.description.examples = vec![Example { arguments, explanation: "Greets Ada.".to_owned() }];
    tool
}

#[test]
fn tool_description_building_and_description_structure_in_four_labelled_sections() {
    insta::assert_snapshot!(description(&tool()), @r#"
    ## Description

    Greets somebody.

    ## JSON Schema

    ```json
    {"type":"object","properties":{"name":{"type":"string","description":"Whom."},"loud":{"type":"boolean","default":false}},"required":["name"]}
    ```

    ## Usage Instructions

    ```text
    greet(name: string, loud?: boolean)
    Once per person.
    ```

    ## Concrete Examples

    ```json
    {"name":"Ada"}
    ```
    Greets Ada.
    "#);
}

#[test]
fn sizes_say_less_and_the_usual_one_depends_on_the_tool() {
    assert_eq!(Size::Concise.describe()(&tool()), "Greets somebody.");
    let schema_less = Size::SchemaLess.describe()(&tool());
    assert!(
        !schema_less.contains("JSON Schema") && schema_less.contains("## Concrete Examples"),
        "{schema_less}"
    );
    assert_eq!(Size::Full.describe()(&tool()), description(&tool()));
    let mut plain = tool();
    plain.description.examples.clear();
    assert_eq!(
        description(&plain),
        "Greets somebody.",
        "tools without examples are described concisely"
    );
    assert!(
        Size::Full.describe()(&plain).contains("## JSON Schema"),
        "unless all are wanted in full"
    );
}

#[test]
fn undecorated_name_in_documentation() {
    for text in [description(&tool()), docs::tool_page(&tool()), docs::terminal(&tool())] {
        let said: Vec<_> = text.lines().skip(1).filter(|line| line.contains("guide_")).collect();
        assert_eq!(said, [""; 0], "{text}");
    }
}

#[test]
fn tool_description_warning_for_consent_says_the_word() {
    let mut tool = tool();
    tool.consent = Some(Consent { parameter: "really".to_owned(), word: "ERASE".to_owned() });
    let text = description(&tool);
    assert!(
        text.contains("REQUIRES EXPLICIT USER INSTRUCTION") && text.contains("`really` as `ERASE`"),
        "{text}"
    );
    assert!(text.contains("never pass it on your own initiative"), "{text}");
}

#[test]
fn schema_markdown_generation() {
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
    insta::assert_snapshot!(schema_markdown(&schema), @r#"
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
fn a_tool_without_arguments_has_no_empty_heading() {
    assert_eq!(schema_markdown(&Schema::empty()), "");
}

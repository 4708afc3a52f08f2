//! Descriptions that clients receive.

use catalog::{Consent, Example, Implementation, Mode, Origin, SourceId, Tool};
use docs::{DescriptionSize, describe};
use serde_json::json;

use crate::sample_tools::{grep_tool, plain_tool, schema};

/// A native tool with usage notes and an example, served under a prefix.
fn native_tool() -> Tool {
    let input = schema(json!({
        "type": "object",
        "properties": {"name": {"type": "string", "description": "Whom."}, "loud": {"type": "boolean", "default": false}},
        "required": ["name"],
    }));
    let mut tool = Tool::new(
        "guide_greet",
        "Greets a person.",
        input,
        Implementation::Native,
        Origin::whole_file(&SourceId::new("native:greet")),
    );
    tool.bare_name = Some("greet".to_owned());
    tool.description.usage = Some("Once per person.".to_owned());
    let arguments = json!({"name": "Ada"}).as_object().expect("an object").clone();
    tool.description.examples = vec![Example { arguments, explanation: "Greets Ada.".to_owned() }];
    tool
}

#[test]
fn has_four_sections_in_full() {
    insta::assert_snapshot!(DescriptionSize::Full.describer()(&native_tool()), @r#"
    ## Description

    Greets a person.

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
fn omits_the_schema_on_request() {
    insta::assert_snapshot!(DescriptionSize::SchemaLess.describer()(&native_tool()), @r#"
    ## Description

    Greets a person.

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
fn default_size_depends_on_the_examples() {
    let mut tool = native_tool();
    assert_eq!(DescriptionSize::Concise.describer()(&tool), "Greets a person.");
    assert_eq!(DescriptionSize::SchemaLess.describer()(&tool), describe(&tool));
    tool.description.examples.clear();
    assert_eq!(describe(&tool), "Greets a person.");
    insta::assert_snapshot!(DescriptionSize::Full.describer()(&tool), @r#"
    ## Description

    Greets a person.

    ## JSON Schema

    ```json
    {"type":"object","properties":{"name":{"type":"string","description":"Whom."},"loud":{"type":"boolean","default":false}},"required":["name"]}
    ```

    ## Usage Instructions

    ```text
    greet(name: string, loud?: boolean)
    Once per person.
    ```
    "#);
}

#[test]
fn starts_with_the_guidance() {
    insta::assert_snapshot!(describe(&grep_tool()), @r"
    **Note:** runs at once.

    Find lines that match a pattern.
    ");
    let mut tool = plain_tool("p");
    tool.description.guidance = Some(" ".into());
    tool.description.hint = Some("Wait".into());
    tool.description.install = Some("Install".into());
    assert_eq!(describe(&tool), "Do nothing. Successfully.", "hints are for people");
}

#[test]
fn starts_with_what_a_short_text_is_part_of() {
    let mut tool = plain_tool("cargo_clippy");
    tool.description.text = "Lint".into();
    tool.description.context = Some("Rust's build tool".into());
    assert_eq!(describe(&tool), "Rust's build tool: Lint");
}

#[test]
fn does_not_repeat_how_operations_work() {
    let mut tool = plain_tool("p");
    tool.mode = Mode::Asynchronous;
    assert_eq!(describe(&tool), "Do nothing. Successfully.");
}

#[test]
fn warns_about_consent_unless_the_author_did() {
    let mut tool = plain_tool("p");
    tool.consent = Some(Consent { parameter: "confirm".into(), word: "ERASE".into() });
    insta::assert_snapshot!(describe(&tool), @r"
    Do nothing. Successfully.

    REQUIRES EXPLICIT USER INSTRUCTION: call this only if the user has asked for exactly this in this conversation. Confirm it by passing `confirm` as `ERASE`; never pass it on your own initiative or to see what happens.
    ");
    tool.description.text = "REQUIRES EXPLICIT USER INSTRUCTION. Erases.".into();
    assert_eq!(describe(&tool), "REQUIRES EXPLICIT USER INSTRUCTION. Erases.");
}

#[test]
fn documentation_uses_names_without_prefix() {
    let tool = native_tool();
    for text in [
        describe(&tool),
        docs::render_tool_page(&tool),
        docs::render_for_terminal(&tool, docs::WIDTH),
    ] {
        let prefixed: Vec<_> =
            text.lines().skip(1).filter(|line| line.contains("guide_")).collect();
        assert_eq!(prefixed, [""; 0], "{text}");
    }
}

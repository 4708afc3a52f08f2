//! Guidance files, and the detection of formats.

use formats::{Document, Guidance};
use serde_json::json;
use testing::shared_corpus;

use crate::reading::{format_of, schema_of, source, summary};

fn read(text: &str) -> (Guidance, Vec<String>) {
    let (guidance, diagnostics) = formats::read_guidance(&source(), text.as_bytes());
    (guidance, summary(&diagnostics))
}

#[test]
fn blocks_win_over_templates_and_templates_over_other_blocks() {
    let (guidance, found) = read(
        r#"{"templates": {"a": "template a", "b": "template b", "group": {"x": "y"}}, "c": {"guidance": "block c"},
            "b": {"guidance": "block b"}, "guidance_blocks": {"a": "text a"}, "legacy_guidance": {"d": {"guidance": "no"}}}"#,
    );
    assert_eq!(found, [""; 0]);
    let texts = ["a", "b", "c", "group", "d"].map(|key| guidance.lookup(key));
    assert_eq!(texts, [Some("text a"), Some("template b"), Some("block c"), None, None]);
}

#[test]
fn the_first_of_several_files_wins() {
    let (mut first, _) = read(r#"{"guidance_blocks": {"a": "1"}}"#);
    first.merge(read(r#"{"guidance_blocks": {"a": "2", "b": "2"}}"#).0);
    assert_eq!([first.lookup("a"), first.lookup("b")], [Some("1"), Some("2")]);
    let mut keys: Vec<_> = first.keys().collect();
    keys.sort_unstable();
    assert_eq!(keys, ["a", "b"]);
}

#[test]
fn rejects_other_types_and_reads_the_rest() {
    let (guidance, found) = read(
        r#"{"guidance_blocks": {"a": 1, "b": "B"}, "templates": [], "c": {"guidance": null}, "d": 4}"#,
    );
    assert_eq!(
        found,
        [
            "error TC081 /guidance_blocks/a",
            "error TC081 /templates",
            "error TC081 /c/guidance",
            "error TC081 /d"
        ]
    );
    assert_eq!(guidance.lookup("b"), Some("B"));
    assert_eq!(read("[]").1, ["error TC081 "]);
    assert_eq!(read(r#"{"general_guidance": {}}"#).1, ["note TC082 -"]);
}

#[test]
fn detects_formats_by_content() {
    let format = |value: serde_json::Value| {
        format_of(&Document::parse(&source(), value.to_string().as_bytes()))
    };
    assert_eq!(format(json!({"guidance_blocks": {}})), Some("guidance"));
    assert_eq!(format(json!({"a": {"guidance": "x"}, "b": {"guidance": "y"}})), Some("guidance"));
    assert_eq!(format(json!({"name": "t", "templates": {}})), Some("mtdf"));
    assert_eq!(format(json!({"$schema": "x", "properties": {}})), Some("json-schema"));
    assert_eq!(format(json!({"$schema": "x", "name": "t", "command": "c"})), Some("mtdf"));
    assert_eq!(format(json!([1])), None);
    assert_eq!(format(json!({"templates": {}})), Some("guidance"));
    assert_eq!(format_of(&Document::parse(&source(), b"{\"templates\": ")), None);
}

/// The guide's own sample has raw line breaks in a text.
#[test]
fn reads_the_sample_of_the_guide_with_a_warning() {
    let Some(guide) = shared_corpus("seeds/mtdf-guide.md") else {
        return;
    };
    let guide = std::fs::read_to_string(guide).expect("a readable guide");
    let sample = guide
        .split("```json")
        .find(|block| block.contains("\"guidance_blocks\""))
        .expect("the sample");
    let sample = sample.split("```").next().expect("its end");
    let (guidance, found) = read(sample);
    assert_eq!(found, ["warning TC008 -"]);
    assert!(guidance.lookup("async_full").expect("the template").contains("\n1. **Immediate"));
    assert!(guidance.lookup("sync_behavior").is_some());
}

#[test]
fn the_schema_agrees_with_the_reader() {
    let validator = jsonschema::validator_for(&schema_of("guidance")).expect("a schema");
    for (value, is_good) in [
        (
            json!({"guidance_blocks": {"a": "b"}, "templates": {"c": "d", "e": {}}, "f": {"guidance": "g"}, "$schema": "s"}),
            true,
        ),
        (json!({"guidance_blocks": {"a": 1}}), false),
        (json!({"templates": 1}), false),
        (json!({"f": {"guidance": 1}}), false),
        (json!([]), false),
    ] {
        assert_eq!(validator.is_valid(&value), is_good, "{value}");
        assert_eq!(read(&value.to_string()).1.is_empty(), is_good, "{value}");
    }
}

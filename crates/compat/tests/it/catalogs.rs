//! Whole catalogs: removed, added, renamed and reworded tools, and the versions they require.

use catalog::Catalog;
use compat::{Bump, Class, ToolComparison, compare};
use serde_json::json;
use testing::{echo_tool, schema};

use crate::tools::read_catalog;

fn definition(name: &str, version: &str, description: &str) -> String {
    json!({
        "name": name, "description": description, "command": "wc", "mutates": false, "version": version,
        "inputSchema": {"type": "object", "properties": {"file": {"type": "string", "format": "path", "description": "The file"}},
            "required": ["file"], "additionalProperties": false},
    })
    .to_string()
}

/// Compares two definitions of a single tool.
fn compare_definitions(old: &str, new: &str) -> ToolComparison {
    let mut all = compare(&read_catalog("tools/a.json", old), &read_catalog("tools/a.json", new));
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn recognizes_a_rename_by_text_and_parameters() {
    let renamed = compare_definitions(
        &definition("count_lines", "1.0.0", "Count the lines of a file"),
        &definition("line_count", "1.0.0", "Count the lines of a file"),
    );
    assert_eq!(
        (renamed.name.as_str(), renamed.new_name.as_deref()),
        ("count_lines", Some("line_count"))
    );
    assert_eq!(renamed.class(), Class::Breaking);
    assert_eq!(renamed.changes[0].message, "`count_lines` was renamed to `line_count`");
    let moved = compare_definitions(
        &definition("count_lines", "1.0.0", "Count"),
        &definition("files.count_lines", "1.0.0", "Tell how many lines there are"),
    );
    assert_eq!(
        moved.new_name.as_deref(),
        Some("files.count_lines"),
        "a module name was added in front"
    );
}

#[test]
fn tools_that_only_share_a_parameter_are_not_renamed() {
    let (old, new) = (
        definition("count_lines", "1.0.0", "Count the lines of a file"),
        definition("send_mail", "1.0.0", "Send a file by mail"),
    );
    let names: Vec<_> = compare(&read_catalog("a", &old), &read_catalog("a", &new))
        .into_iter()
        .map(|tool| (tool.name.clone(), tool.class()))
        .collect();
    assert_eq!(
        names,
        [("count_lines".to_owned(), Class::Breaking), ("send_mail".to_owned(), Class::Compatible)]
    );
}

#[test]
fn pairs_a_renamed_tool_with_the_most_similar_one() {
    let tools = |names: [&str; 3]| {
        let texts =
            ["Count the lines of a file", "Count the words of a file", "Count the bytes of a file"];
        let tool = |(name, text): (&str, &str)| {
            let mut tool = echo_tool(name);
            tool.description.text = text.to_owned();
            tool.input =
                schema(json!({"type": "object", "properties": {"file": {"type": "string"}}}));
            tool
        };
        Catalog::merge(names.into_iter().zip(texts).map(tool)).0
    };
    let compared = compare(
        &tools(["lines", "words", "bytes"]),
        &tools(["count_lines", "count_words", "count_bytes"]),
    );
    let pairs: Vec<_> = compared
        .iter()
        .map(|tool| (tool.name.as_str(), tool.new_name.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(
        pairs,
        [("bytes", "count_bytes"), ("lines", "count_lines"), ("words", "count_words")]
    );
}

#[test]
fn reworded_text_is_behavioural_and_needs_a_patch() {
    let (old, new) = (
        definition("count", "1.2.0", "Count the lines"),
        definition("count", "1.2.0", "Count all the lines"),
    );
    let reworded = compare_definitions(&old, &new);
    assert_eq!(
        (reworded.class(), reworded.required_bump(), reworded.check_version().ok),
        (Class::Behavioural, Bump::Patch, false)
    );
    assert_eq!(reworded.check_version().suggestion.as_deref(), Some("1.2.1"));
    let stepped = compare_definitions(&old, &definition("count", "1.2.1", "Count all the lines"));
    assert!(stepped.check_version().ok);
}

#[test]
fn reports_whether_a_changed_list_reaches_more() {
    let compare = |old: serde_json::Value, new: serde_json::Value| {
        let tool = |network| {
            let mut tool = echo_tool("fetch");
            tool.annotations.network = serde_json::from_value(network).expect("a network access");
            tool
        };
        let changes = compat::compare_tools(&tool(old), &tool(new));
        changes.into_iter().map(|change| change.message).collect::<Vec<_>>().join("\n")
    };
    let (one, two) = (json!(["a.org:443"]), json!(["a.org:443", "b.org:443"]));
    let more = "`network` changed from a.org:443 to a.org:443, b.org:443: it can reach more";
    assert_eq!(compare(one.clone(), two.clone()), more);
    let less = "`network` changed from a.org:443, b.org:443 to a.org:443: it cannot reach more";
    assert_eq!(compare(two, one.clone()), less);
    let all = "`network` changed from a.org:443 to yes: it can reach more";
    assert_eq!(compare(one.clone(), json!(true)), all);
    assert_eq!(compare(one.clone(), one), "");
}

#[test]
fn a_new_version_alone_is_metadata() {
    let stepped = compare_definitions(
        &definition("count", "1.2.0", "Count"),
        &definition("count", "1.3.0", "Count"),
    );
    assert_eq!(
        (stepped.class(), stepped.required_bump(), stepped.check_version().ok),
        (Class::Metadata, Bump::None, true)
    );
    let back = compare_definitions(
        &definition("count", "1.2.0", "Count"),
        &definition("count", "1.1.0", "Count"),
    );
    assert!(!back.check_version().ok);
}

/// A specification document with a version and tools of these names.
fn document(version: &str, names: &[&str]) -> String {
    let tool = |name: &&str| {
        format!(
            "## Tool: `{name}`\n\n### 1. Tool Purpose and Description\n\nDo `{name}` now.\n\n### 3. Input Schema\n\n| Parameter | Type | Required | Description |\n|---|---|---|---|\n| `{name}_of` | `string` | Yes | What |\n\n"
        )
    };
    format!(
        "# Module - MCP Tool Specification\n\n**Version**: {version}\n\n{}",
        names.iter().map(tool).collect::<String>()
    )
}

#[test]
fn a_removal_is_declared_by_the_version_of_the_document() {
    let removed = |version: &str| {
        let old =
            read_catalog("MCP_TOOL_SPECIFICATION.md", &document("1.0.0", &["alpha", "omega"]));
        let new = read_catalog("MCP_TOOL_SPECIFICATION.md", &document(version, &["alpha"]));
        compare(&old, &new).into_iter().find(|tool| tool.name == "omega").expect("the removed tool")
    };
    let low = removed("1.1.0");
    assert_eq!(
        (low.class(), low.check_version().ok, low.new_version.as_deref()),
        (Class::Breaking, false, Some("1.1.0"))
    );
    assert!(removed("2.0.0").check_version().ok);
}

#[test]
fn a_removal_without_a_document_version_fails() {
    let removed = compare_definitions(&definition("count", "1.2.0", "Count"), "");
    assert_eq!(
        (removed.check_version().ok, removed.check_version().suggestion.as_deref()),
        (false, Some("2.0.0"))
    );
    assert_eq!(
        removed.check_version().message.as_deref(),
        Some(
            "no version declares the removal: restore the tool, or allow `tool-removed` with a reason"
        )
    );
}

#[test]
fn a_missing_version_fails_only_breaking_changes() {
    let text = |names: &[&str]| document("", names).replace("**Version**: \n", "");
    let compared = compare(
        &read_catalog("a.md", &text(&["alpha", "omega"])),
        &read_catalog("a.md", &text(&["alpha"])),
    );
    assert_eq!(
        compared.iter().map(|tool| tool.check_version().ok).collect::<Vec<_>>(),
        [true, false]
    );
    let compared = compare(
        &read_catalog("a.md", &text(&["alpha"])),
        &read_catalog("a.md", &text(&["alpha", "omega"])),
    );
    assert!(compared.iter().all(|tool| tool.check_version().ok));
}

#[test]
fn an_allowed_change_does_not_count() {
    let mut removed = compare_definitions(&definition("count", "1.0.0", "Count"), "");
    assert!(!removed.check_version().ok);
    removed.changes[0].allowed = Some("unused".to_owned());
    assert_eq!((removed.class(), removed.check_version().ok), (Class::None, true));
}

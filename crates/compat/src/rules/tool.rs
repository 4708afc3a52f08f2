//! Rules about the set of tools: removed, renamed, added.

use crate::{
    ChangeRule,
    Effect::{Breaking, Compatible},
    ExampleKind,
};

/// The tool that the examples change.
const GREET: &str = r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#;

pub(crate) static TOOL_REMOVED: ChangeRule = ChangeRule {
    name: "tool-removed",
    input: Breaking,
    output: Breaking,
    why: "Calls of the tool fail. If its document has a version, declare the removal there \
          with a major version. Otherwise allow the removal in `toolcrib.toml` and give the \
          reason.",
    example: ExampleKind::Definition,
    before: GREET,
    after: "",
};

pub(crate) static TOOL_RENAMED: ChangeRule = ChangeRule {
    name: "tool-renamed",
    input: Breaking,
    output: Breaking,
    why: "Callers use the name, so a renamed tool is a removed tool to them. A removed and an \
          added tool with similar names, descriptions and parameters are reported as a rename. \
          Keep the old name next to the new one, or release a major version.",
    example: ExampleKind::Definition,
    before: GREET,
    after: r#"{"name": "greet_someone", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

pub(crate) static TOOL_ADDED: ChangeRule = ChangeRule {
    name: "tool-added",
    input: Compatible,
    output: Compatible,
    why: "A new tool affects no existing call. It has no earlier version to compare with.",
    example: ExampleKind::Definition,
    before: "",
    after: GREET,
};

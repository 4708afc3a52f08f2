//! The set of tools: what is gone, new, or called by another name.

use crate::{
    ChangeRule,
    Effect::{Breaking, Compatible},
    Shown,
};

pub(crate) static TOOL_REMOVED: ChangeRule = ChangeRule {
    name: "tool-removed",
    input: Breaking,
    output: Breaking,
    why: "Whoever calls the tool gets an error. Its removal shows in the version of its document, if that has one: it \
          needs a major step. Else allow it in `toolcrib.toml`, with the reason.",
    shown: Shown::Definition,
    before: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
    after: "",
};

pub(crate) static TOOL_RENAMED: ChangeRule = ChangeRule {
    name: "tool-renamed",
    input: Breaking,
    output: Breaking,
    why: "The name is what callers call: a tool of another name is another tool to them, however much it is the same to \
          its writers. Tools are taken for one if their names, texts and parameters are alike. Keep the old name beside \
          the new one, or make a major step.",
    shown: Shown::Definition,
    before: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
    after: r#"{"name": "greet_someone", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

pub(crate) static TOOL_ADDED: ChangeRule = ChangeRule {
    name: "tool-added",
    input: Compatible,
    output: Compatible,
    why: "What is new breaks nobody. It has no version to step from.",
    shown: Shown::Definition,
    before: "",
    after: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

//! What is said about a tool, and how it runs.

use crate::{
    ChangeRule,
    Effect::{Behavioural, Metadata},
    Shown,
};

pub(crate) static DEFAULT_CHANGED: ChangeRule = ChangeRule {
    name: "default-changed",
    input: Behavioural,
    output: Behavioural,
    why: "Every call that leaves the parameter out does something else than before, although none is refused.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"depth": {"type": "integer", "default": 1}}}"#,
    after: r#"{"type": "object", "properties": {"depth": {"type": "integer", "default": 2}}}"#,
};

pub(crate) static DEFAULT_ADDED: ChangeRule = ChangeRule {
    name: "default-added",
    input: Behavioural,
    output: Behavioural,
    why: "It is said now what happens if the parameter is left out. That may be what happened before; if not, calls that \
          leave it out do something else.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"depth": {"type": "integer"}}}"#,
    after: r#"{"type": "object", "properties": {"depth": {"type": "integer", "default": 2}}}"#,
};

pub(crate) static DEFAULT_REMOVED: ChangeRule = ChangeRule {
    name: "default-removed",
    input: Behavioural,
    output: Behavioural,
    why: "It is no longer said what happens if the parameter is left out.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"depth": {"type": "integer", "default": 2}}}"#,
    after: r#"{"type": "object", "properties": {"depth": {"type": "integer"}}}"#,
};

pub(crate) static DESCRIPTION_CHANGED: ChangeRule = ChangeRule {
    name: "description-changed",
    input: Behavioural,
    output: Behavioural,
    why: "Models choose tools and fill in arguments by these words. Others may make them call it otherwise.",
    shown: Shown::Definition,
    before: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
    after: r#"{"name": "greet", "description": "Print a friendly greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

pub(crate) static EXAMPLES_CHANGED: ChangeRule = ChangeRule {
    name: "examples-changed",
    input: Behavioural,
    output: Behavioural,
    why: "Models follow examples.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"who": {"type": "string", "examples": ["Ada"]}}}"#,
    after: r#"{"type": "object", "properties": {"who": {"type": "string", "examples": ["Grace"]}}}"#,
};

pub(crate) static ANNOTATIONS_CHANGED: ChangeRule = ChangeRule {
    name: "annotations-changed",
    input: Behavioural,
    output: Behavioural,
    why: "Hosts decide by these whether a person is asked before a call. The schema is the same; what is done with the \
          tool is not.",
    shown: Shown::Definition,
    before: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
    after: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false, "network": true,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

pub(crate) static ERRORS_CHANGED: ChangeRule = ChangeRule {
    name: "errors-changed",
    input: Behavioural,
    output: Behavioural,
    why: "What is said about errors tells models how to go on after one.",
    shown: Shown::Definition,
    before: include_str!("examples/count_lines.md"),
    after: include_str!("examples/count_lines_other_errors.md"),
};

pub(crate) static IDEMPOTENCY_CHANGED: ChangeRule = ChangeRule {
    name: "idempotency-changed",
    input: Behavioural,
    output: Behavioural,
    why: "By these words a caller decides whether to try again.",
    shown: Shown::Definition,
    before: include_str!("examples/count_lines.md"),
    after: include_str!("examples/count_lines_other_idempotency.md"),
};

pub(crate) static SECURITY_CHANGED: ChangeRule = ChangeRule {
    name: "security-changed",
    input: Behavioural,
    output: Behavioural,
    why: "What the tool can touch, or what is done about it, is described in other words.",
    shown: Shown::Definition,
    before: include_str!("examples/count_lines.md"),
    after: include_str!("examples/count_lines_other_security.md"),
};

pub(crate) static LAUNCH_CHANGED: ChangeRule = ChangeRule {
    name: "launch-changed",
    input: Behavioural,
    output: Behavioural,
    why: "Another program, command line, mode or time limit: the same call does something else, or does it otherwise.",
    shown: Shown::Definition,
    before: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
    after: r#"{"name": "greet", "description": "Print a greeting", "command": "printf", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

pub(crate) static CATEGORY_CHANGED: ChangeRule = ChangeRule {
    name: "category-changed",
    input: Metadata,
    output: Metadata,
    why: "Tools are grouped by it for people; calls are the same.",
    shown: Shown::Definition,
    before: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
    after: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false, "category": "social",
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

pub(crate) static VERSION_CHANGED: ChangeRule = ChangeRule {
    name: "version-changed",
    input: Metadata,
    output: Metadata,
    why: "A version says something about changes and is none itself. It must not go back.",
    shown: Shown::Definition,
    before: include_str!("examples/count_lines.md"),
    after: include_str!("examples/count_lines_next_version.md"),
};

pub(crate) static NOTES_CHANGED: ChangeRule = ChangeRule {
    name: "notes-changed",
    input: Metadata,
    output: Metadata,
    why: "How to install the program, and what examples printed, is for people and changes no call.",
    shown: Shown::Definition,
    before: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
    after: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false, "install_instructions": "apt install coreutils",
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

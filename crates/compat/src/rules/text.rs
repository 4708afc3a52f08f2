//! Rules about texts, annotations and the way a tool runs.

use crate::{
    ChangeRule,
    Effect::{Behavioural, Metadata},
    ExampleKind,
};

/// The tool that the examples change.
const GREET: &str = r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#;

pub(crate) static DEFAULT_CHANGED: ChangeRule = ChangeRule {
    name: "default-changed",
    input: Behavioural,
    output: Behavioural,
    why: "Calls that leave out the parameter still work, but do something different.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"depth": {"type": "integer", "default": 1}}}"#,
    after: r#"{"type": "object", "properties": {"depth": {"type": "integer", "default": 2}}}"#,
};

pub(crate) static DEFAULT_ADDED: ChangeRule = ChangeRule {
    name: "default-added",
    input: Behavioural,
    output: Behavioural,
    why: "The definition states now what happens if the parameter is left out. If that is not \
          what happened before, calls that leave it out do something different.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"depth": {"type": "integer"}}}"#,
    after: r#"{"type": "object", "properties": {"depth": {"type": "integer", "default": 2}}}"#,
};

pub(crate) static DEFAULT_REMOVED: ChangeRule = ChangeRule {
    name: "default-removed",
    input: Behavioural,
    output: Behavioural,
    why: "The definition no longer states what happens if the parameter is left out.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"depth": {"type": "integer", "default": 2}}}"#,
    after: r#"{"type": "object", "properties": {"depth": {"type": "integer"}}}"#,
};

pub(crate) static DESCRIPTION_CHANGED: ChangeRule = ChangeRule {
    name: "description-changed",
    input: Behavioural,
    output: Behavioural,
    why: "Models choose tools and fill in arguments by these texts. Different words may change \
          how they call the tool.",
    example: ExampleKind::Definition,
    before: GREET,
    after: r#"{"name": "greet", "description": "Print a friendly greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

pub(crate) static EXAMPLES_CHANGED: ChangeRule = ChangeRule {
    name: "examples-changed",
    input: Behavioural,
    output: Behavioural,
    why: "Models imitate examples.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"who": {"type": "string", "examples": ["Ada"]}}}"#,
    after: r#"{"type": "object", "properties": {"who": {"type": "string", "examples": ["Grace"]}}}"#,
};

pub(crate) static ANNOTATIONS_CHANGED: ChangeRule = ChangeRule {
    name: "annotations-changed",
    input: Behavioural,
    output: Behavioural,
    why: "Hosts decide by the annotations whether to ask a person before a call. The schema is \
          the same, but the tool is treated differently.",
    example: ExampleKind::Definition,
    before: GREET,
    after: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false, "network": true,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

pub(crate) static ERRORS_CHANGED: ChangeRule = ChangeRule {
    name: "errors-changed",
    input: Behavioural,
    output: Behavioural,
    why: "Models decide by this section how to continue after an error.",
    example: ExampleKind::Definition,
    before: include_str!("examples/count_lines.md"),
    after: include_str!("examples/count_lines_other_errors.md"),
};

pub(crate) static IDEMPOTENCY_CHANGED: ChangeRule = ChangeRule {
    name: "idempotency-changed",
    input: Behavioural,
    output: Behavioural,
    why: "Callers decide by this section whether to retry.",
    example: ExampleKind::Definition,
    before: include_str!("examples/count_lines.md"),
    after: include_str!("examples/count_lines_other_idempotency.md"),
};

pub(crate) static SECURITY_CHANGED: ChangeRule = ChangeRule {
    name: "security-changed",
    input: Behavioural,
    output: Behavioural,
    why: "The section describes differently what the tool can access, or how it is protected.",
    example: ExampleKind::Definition,
    before: include_str!("examples/count_lines.md"),
    after: include_str!("examples/count_lines_other_security.md"),
};

pub(crate) static LAUNCH_CHANGED: ChangeRule = ChangeRule {
    name: "launch-changed",
    input: Behavioural,
    output: Behavioural,
    why: "The program, command line, mode, timeout or concurrency changed, so the same call \
          may do something different.",
    example: ExampleKind::Definition,
    before: GREET,
    after: r#"{"name": "greet", "description": "Print a greeting", "command": "printf", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

pub(crate) static CATEGORY_CHANGED: ChangeRule = ChangeRule {
    name: "category-changed",
    input: Metadata,
    output: Metadata,
    why: "The category groups tools for people. It does not affect calls.",
    example: ExampleKind::Definition,
    before: GREET,
    after: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false, "category": "social",
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

pub(crate) static VERSION_CHANGED: ChangeRule = ChangeRule {
    name: "version-changed",
    input: Metadata,
    output: Metadata,
    why: "A version describes changes and is not a change itself. It must not go down.",
    example: ExampleKind::Definition,
    before: include_str!("examples/count_lines.md"),
    after: include_str!("examples/count_lines_next_version.md"),
};

pub(crate) static NOTES_CHANGED: ChangeRule = ChangeRule {
    name: "notes-changed",
    input: Metadata,
    output: Metadata,
    why: "Install instructions and recorded output are for people. They do not affect calls.",
    example: ExampleKind::Definition,
    before: GREET,
    after: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false, "install_instructions": "apt install coreutils",
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}}, "additionalProperties": false}}"#,
};

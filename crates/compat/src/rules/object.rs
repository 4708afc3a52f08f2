//! Rules about parameters and fields of the result: added, removed, required, optional.

use crate::{
    ChangeRule,
    Effect::{Breaking, Compatible},
    ExampleKind,
};

pub(crate) static REQUIRED_ADDED: ChangeRule = ChangeRule {
    name: "required-added",
    input: Breaking,
    output: Breaking,
    why: "Calls that were valid lack the new parameter and are rejected. Make the parameter \
          optional with a default, or release a major version.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}, "format": {"type": "string"}}, "required": ["format"]}"#,
};

pub(crate) static PARAMETER_REMOVED: ChangeRule = ChangeRule {
    name: "parameter-removed",
    input: Breaking,
    output: Breaking,
    why: "A call that passes the parameter is rejected, or the tool silently ignores what it \
          asks for. This holds even if the parameter was optional and unknown parameters are \
          accepted.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}, "format": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
};

pub(crate) static PARAMETER_ADDED: ChangeRule = ChangeRule {
    name: "parameter-added",
    input: Compatible,
    output: Compatible,
    why: "A new optional parameter affects no existing call. A patch version is enough; a \
          minor version announces the addition.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}, "format": {"type": "string"}}}"#,
};

pub(crate) static PARAMETER_REQUIRED: ChangeRule = ChangeRule {
    name: "parameter-required",
    input: Breaking,
    output: Breaking,
    why: "Calls that leave out the parameter are rejected.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}"#,
};

pub(crate) static PARAMETER_OPTIONAL: ChangeRule = ChangeRule {
    name: "parameter-optional",
    input: Compatible,
    output: Compatible,
    why: "Every call that passes the parameter is still valid.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
};

pub(crate) static OUTPUT_ADDED: ChangeRule = ChangeRule {
    name: "output-added",
    input: Compatible,
    output: Compatible,
    why: "Callers still find the fields that they know.",
    example: ExampleKind::Output,
    before: r#"{"type": "object", "properties": {"lines": {"type": "integer"}}}"#,
    after: r#"{"type": "object", "properties": {"lines": {"type": "integer"}, "words": {"type": "integer"}}}"#,
};

pub(crate) static OUTPUT_REMOVED: ChangeRule = ChangeRule {
    name: "output-removed",
    input: Breaking,
    output: Breaking,
    why: "Callers that read the field no longer find it. Keep returning it, or release a major \
          version.",
    example: ExampleKind::Output,
    before: r#"{"type": "object", "properties": {"lines": {"type": "integer"}, "words": {"type": "integer"}}}"#,
    after: r#"{"type": "object", "properties": {"lines": {"type": "integer"}}}"#,
};

pub(crate) static OUTPUT_PROMISED: ChangeRule = ChangeRule {
    name: "output-promised",
    input: Compatible,
    output: Compatible,
    why: "The result promises more: callers no longer need to handle an absent field.",
    example: ExampleKind::Output,
    before: r#"{"type": "object", "properties": {"lines": {"type": "integer"}}}"#,
    after: r#"{"type": "object", "properties": {"lines": {"type": "integer"}}, "required": ["lines"]}"#,
};

pub(crate) static OUTPUT_UNPROMISED: ChangeRule = ChangeRule {
    name: "output-unpromised",
    input: Breaking,
    output: Breaking,
    why: "Callers relied on the field, and it may be absent now.",
    example: ExampleKind::Output,
    before: r#"{"type": "object", "properties": {"lines": {"type": "integer"}}, "required": ["lines"]}"#,
    after: r#"{"type": "object", "properties": {"lines": {"type": "integer"}}}"#,
};

pub(crate) static OUTPUT_SCHEMA_ADDED: ChangeRule = ChangeRule {
    name: "output-schema-added",
    input: Compatible,
    output: Compatible,
    why: "The result was undocumented and has a schema now.",
    example: ExampleKind::Definition,
    before: include_str!("examples/count_lines_without_output_schema.md"),
    after: include_str!("examples/count_lines.md"),
};

pub(crate) static OUTPUT_SCHEMA_REMOVED: ChangeRule = ChangeRule {
    name: "output-schema-removed",
    input: Breaking,
    output: Breaking,
    why: "The promises about the result are withdrawn.",
    example: ExampleKind::Definition,
    before: include_str!("examples/count_lines.md"),
    after: include_str!("examples/count_lines_without_output_schema.md"),
};

pub(crate) static OBJECT_CLOSED: ChangeRule = ChangeRule {
    name: "object-closed",
    input: Breaking,
    output: Compatible,
    why: "Calls with properties other than the named ones are rejected. A closed result \
          promises more.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": false}"#,
};

pub(crate) static OBJECT_OPENED: ChangeRule = ChangeRule {
    name: "object-opened",
    input: Compatible,
    output: Compatible,
    why: "The tool accepts more than before. Results may gain fields at any time, and callers \
          ignore fields that they do not know.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": false}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
};

//! Parameters and fields of results: there or not, needed or not.

use crate::{
    ChangeRule,
    Effect::{Breaking, Compatible},
    Shown,
};

pub(crate) static REQUIRED_ADDED: ChangeRule = ChangeRule {
    name: "required-added",
    input: Breaking,
    output: Breaking,
    why: "A call that was right lacks the new parameter. Give it a default and make it optional, or make a major step.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}, "format": {"type": "string"}}, "required": ["format"]}"#,
};

pub(crate) static PARAMETER_REMOVED: ChangeRule = ChangeRule {
    name: "parameter-removed",
    input: Breaking,
    output: Breaking,
    why: "A call that gives the parameter is refused, or what it asks for is silently ignored. That is so even where \
          unknown parameters are let through, and the parameter was optional.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}, "format": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
};

pub(crate) static PARAMETER_ADDED: ChangeRule = ChangeRule {
    name: "parameter-added",
    input: Compatible,
    output: Compatible,
    why: "A new parameter that may be left out changes no call. A patch is enough; a minor step tells people that there is \
          something new.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}, "format": {"type": "string"}}}"#,
};

pub(crate) static PARAMETER_REQUIRED: ChangeRule = ChangeRule {
    name: "parameter-required",
    input: Breaking,
    output: Breaking,
    why: "Calls that leave the parameter out are refused now.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}"#,
};

pub(crate) static PARAMETER_OPTIONAL: ChangeRule = ChangeRule {
    name: "parameter-optional",
    input: Compatible,
    output: Compatible,
    why: "Every call that gives the parameter is still right.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
};

pub(crate) static OUTPUT_ADDED: ChangeRule = ChangeRule {
    name: "output-added",
    input: Compatible,
    output: Compatible,
    why: "Callers read the fields that they know, and find them.",
    shown: Shown::Output,
    before: r#"{"type": "object", "properties": {"lines": {"type": "integer"}}}"#,
    after: r#"{"type": "object", "properties": {"lines": {"type": "integer"}, "words": {"type": "integer"}}}"#,
};

pub(crate) static OUTPUT_REMOVED: ChangeRule = ChangeRule {
    name: "output-removed",
    input: Breaking,
    output: Breaking,
    why: "Callers that read the field do not find it. Go on returning it, or make a major step.",
    shown: Shown::Output,
    before: r#"{"type": "object", "properties": {"lines": {"type": "integer"}, "words": {"type": "integer"}}}"#,
    after: r#"{"type": "object", "properties": {"lines": {"type": "integer"}}}"#,
};

pub(crate) static OUTPUT_PROMISED: ChangeRule = ChangeRule {
    name: "output-promised",
    input: Compatible,
    output: Compatible,
    why: "More is promised than before: whoever reckoned with the field being absent need not.",
    shown: Shown::Output,
    before: r#"{"type": "object", "properties": {"lines": {"type": "integer"}}}"#,
    after: r#"{"type": "object", "properties": {"lines": {"type": "integer"}}, "required": ["lines"]}"#,
};

pub(crate) static OUTPUT_UNPROMISED: ChangeRule = ChangeRule {
    name: "output-unpromised",
    input: Breaking,
    output: Breaking,
    why: "Callers relied on the field being there, and it need not be any more.",
    shown: Shown::Output,
    before: r#"{"type": "object", "properties": {"lines": {"type": "integer"}}, "required": ["lines"]}"#,
    after: r#"{"type": "object", "properties": {"lines": {"type": "integer"}}}"#,
};

pub(crate) static OUTPUT_SCHEMA_ADDED: ChangeRule = ChangeRule {
    name: "output-schema-added",
    input: Compatible,
    output: Compatible,
    why: "A result that nobody described promises something now.",
    shown: Shown::Definition,
    before: include_str!("examples/count_lines_without_output_schema.md"),
    after: include_str!("examples/count_lines.md"),
};

pub(crate) static OUTPUT_SCHEMA_REMOVED: ChangeRule = ChangeRule {
    name: "output-schema-removed",
    input: Breaking,
    output: Breaking,
    why: "What was promised about the result is not promised any more.",
    shown: Shown::Definition,
    before: include_str!("examples/count_lines.md"),
    after: include_str!("examples/count_lines_without_output_schema.md"),
};

pub(crate) static OBJECT_CLOSED: ChangeRule = ChangeRule {
    name: "object-closed",
    input: Breaking,
    output: Compatible,
    why: "Calls with other properties than those that have names are refused now. A result that is closed promises more.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": false}"#,
};

pub(crate) static OBJECT_OPENED: ChangeRule = ChangeRule {
    name: "object-opened",
    input: Compatible,
    output: Compatible,
    why: "More is taken than before. A result may have new fields in any case, and callers pass over those that they do \
          not know.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": false}"#,
    after: r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#,
};

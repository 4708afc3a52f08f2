//! Rules about values: types, enumerations, ranges, patterns.

use crate::{
    ChangeRule,
    Effect::{Breaking, Compatible, Undecided},
    ExampleKind,
};

pub(crate) static TYPE_CHANGED: ChangeRule = ChangeRule {
    name: "type-changed",
    input: Breaking,
    output: Breaking,
    why: "Values of the old type are rejected, or the result has a different type.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"count": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"count": {"type": "integer"}}}"#,
};

pub(crate) static TYPE_NARROWED: ChangeRule = ChangeRule {
    name: "type-narrowed",
    input: Breaking,
    output: Compatible,
    why: "The parameter accepts less than before, so valid calls are rejected. A narrower \
          result promises more.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"count": {"type": ["integer", "null"]}}}"#,
    after: r#"{"type": "object", "properties": {"count": {"type": "integer"}}}"#,
};

pub(crate) static TYPE_WIDENED: ChangeRule = ChangeRule {
    name: "type-widened",
    input: Compatible,
    output: Breaking,
    why: "The parameter accepts more than before. A wider result may contain values that \
          callers do not handle, such as a fraction instead of an integer, or `null`.",
    example: ExampleKind::Output,
    before: r#"{"type": "object", "properties": {"count": {"type": "integer"}}}"#,
    after: r#"{"type": "object", "properties": {"count": {"type": "number"}}}"#,
};

pub(crate) static ENUM_ADDED: ChangeRule = ChangeRule {
    name: "enum-added",
    input: Breaking,
    output: Compatible,
    why: "The parameter accepted any value and accepts only a few now. A result with listed \
          values promises more.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"format": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"format": {"type": "string", "enum": ["text", "json"]}}}"#,
};

pub(crate) static ENUM_REMOVED: ChangeRule = ChangeRule {
    name: "enum-removed",
    input: Compatible,
    output: Breaking,
    why: "The parameter accepts any value now. A result may be a value that callers do not know.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"format": {"type": "string", "enum": ["text", "json"]}}}"#,
    after: r#"{"type": "object", "properties": {"format": {"type": "string"}}}"#,
};

pub(crate) static ENUM_VALUE_REMOVED: ChangeRule = ChangeRule {
    name: "enum-value-removed",
    input: Breaking,
    output: Compatible,
    why: "Calls with the value are rejected. A result that never has the value affects no caller.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"format": {"type": "string", "enum": ["text", "json"]}}}"#,
    after: r#"{"type": "object", "properties": {"format": {"type": "string", "enum": ["text"]}}}"#,
};

pub(crate) static ENUM_VALUE_ADDED: ChangeRule = ChangeRule {
    name: "enum-value-added",
    input: Compatible,
    output: Breaking,
    why: "The parameter accepts one more value. A result may be a value that callers do not know.",
    example: ExampleKind::Output,
    before: r#"{"type": "object", "properties": {"state": {"type": "string", "enum": ["done"]}}}"#,
    after: r#"{"type": "object", "properties": {"state": {"type": "string", "enum": ["done", "lost"]}}}"#,
};

pub(crate) static RANGE_NARROWED: ChangeRule = ChangeRule {
    name: "range-narrowed",
    input: Breaking,
    output: Compatible,
    why: "Numbers, lengths or counts that were valid are rejected. A narrower result promises \
          more.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"count": {"type": "integer", "maximum": 100}}}"#,
    after: r#"{"type": "object", "properties": {"count": {"type": "integer", "maximum": 10}}}"#,
};

pub(crate) static RANGE_WIDENED: ChangeRule = ChangeRule {
    name: "range-widened",
    input: Compatible,
    output: Breaking,
    why: "More numbers, lengths or counts are valid. A result may exceed the limits that \
          callers relied on.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"count": {"type": "integer", "maximum": 10}}}"#,
    after: r#"{"type": "object", "properties": {"count": {"type": "integer", "maximum": 100}}}"#,
};

pub(crate) static PATTERN_ADDED: ChangeRule = ChangeRule {
    name: "pattern-added",
    input: Breaking,
    output: Compatible,
    why: "Text that was valid may be rejected. A result with a pattern promises more.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"day": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}"#,
};

pub(crate) static PATTERN_REMOVED: ChangeRule = ChangeRule {
    name: "pattern-removed",
    input: Compatible,
    output: Breaking,
    why: "The parameter accepts any text now. A result may lack the form that callers relied on.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}"#,
    after: r#"{"type": "object", "properties": {"day": {"type": "string"}}}"#,
};

pub(crate) static PATTERN_CHANGED: ChangeRule = ChangeRule {
    name: "pattern-changed",
    input: Undecided,
    output: Undecided,
    why: "Toolcrib cannot decide whether one pattern accepts everything that another accepts. \
          Review the change: release a major version, or allow the change in `toolcrib.toml` \
          and explain why it is compatible.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"tag": {"type": "string", "pattern": "^v[0-9]+$"}}}"#,
    after: r#"{"type": "object", "properties": {"tag": {"type": "string", "pattern": "^v?[0-9]+$"}}}"#,
};

pub(crate) static CANNOT_DECIDE: ChangeRule = ChangeRule {
    name: "cannot-decide",
    input: Undecided,
    output: Undecided,
    why: "A condition such as `not`, `if` or `allOf` changed. Toolcrib compares these only for \
          equality. Review the change: release a major version, or allow the change in \
          `toolcrib.toml` and explain why it is compatible.",
    example: ExampleKind::Input,
    before: r#"{"type": "object", "properties": {"count": {"type": "integer", "not": {"const": 0}}}}"#,
    after: r#"{"type": "object", "properties": {"count": {"type": "integer", "not": {"const": 1}}}}"#,
};

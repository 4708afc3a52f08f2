//! Values: their types, lists, ranges and patterns.

use crate::{
    ChangeRule,
    Effect::{Breaking, Compatible, Undecided},
    Shown,
};

pub(crate) static TYPE_CHANGED: ChangeRule = ChangeRule {
    name: "type-changed",
    input: Breaking,
    output: Breaking,
    why: "Values of the old type are not taken any more, or come back as something else.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"count": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"count": {"type": "integer"}}}"#,
};

pub(crate) static TYPE_NARROWED: ChangeRule = ChangeRule {
    name: "type-narrowed",
    input: Breaking,
    output: Compatible,
    why: "A parameter takes less than before, so calls that were right are refused. A result promises more.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"count": {"type": ["integer", "null"]}}}"#,
    after: r#"{"type": "object", "properties": {"count": {"type": "integer"}}}"#,
};

pub(crate) static TYPE_WIDENED: ChangeRule = ChangeRule {
    name: "type-widened",
    input: Compatible,
    output: Breaking,
    why: "A parameter takes more than before. A result may be something that its readers never had to reckon with: a \
          fraction where there were whole numbers, or nothing at all.",
    shown: Shown::Output,
    before: r#"{"type": "object", "properties": {"count": {"type": "integer"}}}"#,
    after: r#"{"type": "object", "properties": {"count": {"type": "number"}}}"#,
};

pub(crate) static ENUM_ADDED: ChangeRule = ChangeRule {
    name: "enum-added",
    input: Breaking,
    output: Compatible,
    why: "A parameter that took any value takes a few now. A result promises more.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"format": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"format": {"type": "string", "enum": ["text", "json"]}}}"#,
};

pub(crate) static ENUM_REMOVED: ChangeRule = ChangeRule {
    name: "enum-removed",
    input: Compatible,
    output: Breaking,
    why: "A parameter takes any value now. A result may be one that its readers do not know.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"format": {"type": "string", "enum": ["text", "json"]}}}"#,
    after: r#"{"type": "object", "properties": {"format": {"type": "string"}}}"#,
};

pub(crate) static ENUM_VALUE_REMOVED: ChangeRule = ChangeRule {
    name: "enum-value-removed",
    input: Breaking,
    output: Compatible,
    why: "Calls with the value are refused now. A result that never has it is no trouble to anybody.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"format": {"type": "string", "enum": ["text", "json"]}}}"#,
    after: r#"{"type": "object", "properties": {"format": {"type": "string", "enum": ["text"]}}}"#,
};

pub(crate) static ENUM_VALUE_ADDED: ChangeRule = ChangeRule {
    name: "enum-value-added",
    input: Compatible,
    output: Breaking,
    why: "One more value may be given. One that comes back is unknown to those who tell them apart.",
    shown: Shown::Output,
    before: r#"{"type": "object", "properties": {"state": {"type": "string", "enum": ["done"]}}}"#,
    after: r#"{"type": "object", "properties": {"state": {"type": "string", "enum": ["done", "lost"]}}}"#,
};

pub(crate) static RANGE_NARROWED: ChangeRule = ChangeRule {
    name: "range-narrowed",
    input: Breaking,
    output: Compatible,
    why: "Numbers, lengths or counts that were taken are refused now. A result promises more.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"count": {"type": "integer", "maximum": 100}}}"#,
    after: r#"{"type": "object", "properties": {"count": {"type": "integer", "maximum": 10}}}"#,
};

pub(crate) static RANGE_WIDENED: ChangeRule = ChangeRule {
    name: "range-widened",
    input: Compatible,
    output: Breaking,
    why: "More numbers, lengths or counts are taken. A result may be out of the bounds that its readers knew.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"count": {"type": "integer", "maximum": 10}}}"#,
    after: r#"{"type": "object", "properties": {"count": {"type": "integer", "maximum": 100}}}"#,
};

pub(crate) static PATTERN_ADDED: ChangeRule = ChangeRule {
    name: "pattern-added",
    input: Breaking,
    output: Compatible,
    why: "Text must have a form that it need not have before. A result promises more.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"day": {"type": "string"}}}"#,
    after: r#"{"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}"#,
};

pub(crate) static PATTERN_REMOVED: ChangeRule = ChangeRule {
    name: "pattern-removed",
    input: Compatible,
    output: Breaking,
    why: "Text may have any form now. A result no longer has the one that its readers relied on.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}"#,
    after: r#"{"type": "object", "properties": {"day": {"type": "string"}}}"#,
};

pub(crate) static PATTERN_CHANGED: ChangeRule = ChangeRule {
    name: "pattern-changed",
    input: Undecided,
    output: Undecided,
    why: "Whether one pattern takes all that another takes cannot be decided here. Somebody has to look: make a major \
          step, or allow it in `toolcrib.toml` with the reason why it is compatible.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"tag": {"type": "string", "pattern": "^v[0-9]+$"}}}"#,
    after: r#"{"type": "object", "properties": {"tag": {"type": "string", "pattern": "^v?[0-9]+$"}}}"#,
};

pub(crate) static CANNOT_DECIDE: ChangeRule = ChangeRule {
    name: "cannot-decide",
    input: Undecided,
    output: Undecided,
    why: "Conditions such as `not`, `if` and `allOf` are not looked into, and one of them is another now. Somebody has to \
          look: make a major step, or allow it in `toolcrib.toml` with the reason why it is compatible.",
    shown: Shown::Input,
    before: r#"{"type": "object", "properties": {"count": {"type": "integer", "not": {"const": 0}}}}"#,
    after: r#"{"type": "object", "properties": {"count": {"type": "integer", "not": {"const": 1}}}}"#,
};

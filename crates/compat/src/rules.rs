//! The table of change rules. A rule is a static in one of these files and a line in [`CHANGES`].

pub(crate) mod object;
pub(crate) mod text;
pub(crate) mod tool;
pub(crate) mod value;

use crate::ChangeRule;

/// Every change rule, grouped by subject. The reference page has the same order.
pub static CHANGES: &[&ChangeRule] = &[
    &tool::TOOL_REMOVED,
    &tool::TOOL_RENAMED,
    &tool::TOOL_ADDED,
    &object::REQUIRED_ADDED,
    &object::PARAMETER_REMOVED,
    &object::PARAMETER_ADDED,
    &object::PARAMETER_REQUIRED,
    &object::PARAMETER_OPTIONAL,
    &object::OUTPUT_ADDED,
    &object::OUTPUT_REMOVED,
    &object::OUTPUT_PROMISED,
    &object::OUTPUT_UNPROMISED,
    &object::OUTPUT_SCHEMA_ADDED,
    &object::OUTPUT_SCHEMA_REMOVED,
    &object::OBJECT_CLOSED,
    &object::OBJECT_OPENED,
    &value::TYPE_CHANGED,
    &value::TYPE_NARROWED,
    &value::TYPE_WIDENED,
    &value::ENUM_ADDED,
    &value::ENUM_REMOVED,
    &value::ENUM_VALUE_REMOVED,
    &value::ENUM_VALUE_ADDED,
    &value::RANGE_NARROWED,
    &value::RANGE_WIDENED,
    &value::PATTERN_ADDED,
    &value::PATTERN_REMOVED,
    &value::PATTERN_CHANGED,
    &value::CANNOT_DECIDE,
    &text::DEFAULT_CHANGED,
    &text::DEFAULT_ADDED,
    &text::DEFAULT_REMOVED,
    &text::DESCRIPTION_CHANGED,
    &text::EXAMPLES_CHANGED,
    &text::ANNOTATIONS_CHANGED,
    &text::ERRORS_CHANGED,
    &text::IDEMPOTENCY_CHANGED,
    &text::SECURITY_CHANGED,
    &text::LAUNCH_CHANGED,
    &text::CATEGORY_CHANGED,
    &text::VERSION_CHANGED,
    &text::NOTES_CHANGED,
];

//! Tools built by hand or read from a definition, and the changes between two of them.

use catalog::{Catalog, Schema, SourceId, Tool};
use compat::{Change, Effect, compare_tools};
use formats::Guidance;
use serde_json::{Value, json};
use testing::{echo_tool, schema};

/// A tool with these schemas of its arguments and its result.
pub(crate) fn tool_with_schemas(input: Option<Value>, output: Option<Value>) -> Tool {
    let mut tool = echo_tool("subject");
    tool.input = input.map_or_else(Schema::empty, schema);
    tool.output = output.map(schema);
    tool
}

/// The tools of a definition in the format that its file name and text imply.
pub(crate) fn read_catalog(file: &str, text: &str) -> Catalog {
    let reading = formats::read(&SourceId::new(file), text.as_bytes(), &Guidance::default());
    Catalog::merge(reading.tools).0
}

/// The changes between two input schemas.
pub(crate) fn compare_input(old: &Value, new: &Value) -> Vec<Change> {
    let tool = |schema: &Value| tool_with_schemas(Some(schema.clone()), None);
    compare_tools(&tool(old), &tool(new))
}

/// The changes between two output schemas.
pub(crate) fn compare_output(old: &Value, new: &Value) -> Vec<Change> {
    let tool = |schema: &Value| tool_with_schemas(None, Some(schema.clone()));
    compare_tools(&tool(old), &tool(new))
}

/// The rules of the changes between two input schemas, marked with `!` if breaking and `?` if
/// undecided.
pub(crate) fn input_changes(old: Value, new: Value) -> Vec<String> {
    rule_marks(&compare_input(&old, &new))
}

/// Like [`input_changes`], for two output schemas.
pub(crate) fn output_changes(old: Value, new: Value) -> Vec<String> {
    rule_marks(&compare_output(&old, &new))
}

/// Like [`input_changes`], for the schemas of a single parameter.
pub(crate) fn parameter_changes(old: Value, new: Value) -> Vec<String> {
    input_changes(object_with_property(old), object_with_property(new))
}

/// Like [`input_changes`], for the schemas of a single field of the result.
pub(crate) fn field_changes(old: Value, new: Value) -> Vec<String> {
    output_changes(object_with_property(old), object_with_property(new))
}

fn object_with_property(schema: Value) -> Value {
    json!({"type": "object", "properties": {"p": schema}})
}

fn rule_marks(changes: &[Change]) -> Vec<String> {
    let mark = |effect| match effect {
        Effect::Breaking => "!",
        Effect::Undecided => "?",
        _ => "",
    };
    changes.iter().map(|change| format!("{}{}", change.rule.name, mark(change.effect))).collect()
}

//! Two versions of tools, and what the difference does to callers.

mod examples;
mod history;
mod laws;
mod schemas;
mod tools;

use catalog::{Catalog, Schema, SourceId, Tool};
use formats::Guidance;
use lint::compare::{Change, compare_tools};
use serde_json::{Value, json};

use crate::harness::{object, tool};

/// A tool that takes or returns what the schemas say.
pub(crate) fn with(input: Option<Value>, output: Option<Value>) -> Tool {
    let mut tool = tool("subject");
    tool.input = input.map_or_else(Schema::empty, object);
    tool.output = output.map(object);
    tool
}

/// The rules of the changes between two schemas of what goes in, each with `!` where it is breaking and `?` where that
/// cannot be decided.
pub(crate) fn input(old: Value, new: Value) -> Vec<String> {
    shown(&compare_tools(&with(Some(old), None), &with(Some(new), None)))
}

/// The same of what comes out.
pub(crate) fn output(old: Value, new: Value) -> Vec<String> {
    shown(&compare_tools(&with(None, Some(old)), &with(None, Some(new))))
}

/// The same of one parameter.
pub(crate) fn parameter(old: Value, new: Value) -> Vec<String> {
    input(
        json!({"type": "object", "properties": {"p": old}}),
        json!({"type": "object", "properties": {"p": new}}),
    )
}

/// The same of one field of the result.
pub(crate) fn field(old: Value, new: Value) -> Vec<String> {
    output(
        json!({"type": "object", "properties": {"p": old}}),
        json!({"type": "object", "properties": {"p": new}}),
    )
}

fn shown(changes: &[Change]) -> Vec<String> {
    changes.iter().map(|change| format!("{}{}", change.rule.name, mark(change))).collect()
}

fn mark(change: &Change) -> &'static str {
    match change.effect {
        lint::compare::Effect::Breaking => "!",
        lint::compare::Effect::Undecided => "?",
        _ => "",
    }
}

/// The tools of a definition.
pub(crate) fn catalog(name: &str, text: &str) -> Catalog {
    let reading = formats::read(&SourceId::new(name), text.as_bytes(), &Guidance::default());
    Catalog::merge(reading.tools).0
}

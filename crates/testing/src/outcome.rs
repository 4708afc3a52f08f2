//! The parts of an outcome that tests look at.

use catalog::{Content, Outcome};
use serde_json::Value;

/// The text of one of the content blocks, by its index.
pub fn text(outcome: &Outcome, index: usize) -> &str {
    match &outcome.content[index] {
        Content::Text(text) => text,
        other => panic!("not text: {other:?}"),
    }
}

/// The structured content.
pub fn structured(outcome: &Outcome) -> &Value {
    outcome.structured.as_ref().unwrap_or_else(|| panic!("no structured content: {outcome:?}"))
}

/// A field of the structured content; null if it is absent.
pub fn field<'a>(outcome: &'a Outcome, name: &str) -> &'a Value {
    outcome.structured.as_ref().and_then(|structured| structured.get(name)).unwrap_or(&Value::Null)
}

//! Is a result what the tool says it returns? For tools whose results something outside decides.

use catalog::{Content, ErrorType, Failure, OnMismatch, Outcome, Tool};
use serde_json::{Map, Value, json};

use crate::failures;

/// The most differences that are told.
const MOST: usize = 5;

/// A result that may be answered, and what must be said about it.
pub(crate) struct Judged {
    pub(crate) value: Value,
    pub(crate) note: Option<Content>,
}

/// Holds a result against what the tool says. The failure is for a tool that does not let a difference pass.
pub(crate) fn judge(tool: &Tool, value: Value) -> Result<Judged, Failure> {
    let found = differences(tool, &value);
    let Some(first) = found.first() else {
        return Ok(Judged { value, note: None });
    };
    let others =
        if found.len() > 1 { format!(", and {} more", found.len() - 1) } else { String::new() };
    let message = format!(
        "what `{}` returned is not what its specification says: {first}{others}",
        tool.name
    );
    tracing::warn!(tool = tool.name, "{message}");
    match tool.on_mismatch {
        Some(OnMismatch::Fail) => {
            Err(Failure::new(ErrorType::OutputMismatch, message)
                .details(json!({"mismatches": found})))
        }
        _ => Ok(Judged {
            value: as_served(tool, value),
            note: Some(Content::Text(format!("note: {message}"))),
        }),
    }
}

/// An outcome that another tool came to, held against what this one says.
pub(crate) fn judged(tool: &Tool, outcome: Outcome) -> Outcome {
    let is_started =
        outcome.structured.as_ref().is_some_and(|value| value.get("operation_id").is_some());
    let Outcome { mut content, structured: Some(value), failed: false } = outcome else {
        return outcome;
    };
    if is_started {
        return Outcome { content, structured: Some(value), failed: false };
    }
    match judge(tool, value) {
        Ok(judged) => {
            content.extend(judged.note);
            Outcome { content, structured: Some(judged.value), failed: false }
        }
        Err(failure) => failures::to_outcome(tool, failure),
    }
}

/// Where a result is not as the tool says, in words.
fn differences(tool: &Tool, value: &Value) -> Vec<String> {
    let Some(output) = tool.output.as_ref().filter(|_| tool.on_mismatch.is_some()) else {
        return Vec::new();
    };
    let Ok(validator) = output.validator() else {
        return Vec::new();
    };
    let found = validator.iter_errors(value).take(MOST).map(|error| {
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { "the whole".to_owned() } else { format!("`{place}`") };
        format!("{place}: {}", error.masked_with("it"))
    });
    found.collect()
}

/// Where objects are promised, anything else is answered as the one member of an object: clients take no less.
fn as_served(tool: &Tool, value: Value) -> Value {
    let promises_object = tool
        .output
        .as_ref()
        .and_then(|output| output.object().get("type"))
        .is_some_and(|kind| kind == "object");
    match promises_object && !value.is_object() {
        true => Value::Object(Map::from_iter([("result".to_owned(), value)])),
        false => value,
    }
}

//! Checks results against the output schema of their tool, where code outside of this server
//! decides about them.

use catalog::{Content, ErrorType, Failure, OnMismatch, Outcome, Schema, Tool, failures};
use serde_json::{Map, Value, json};

/// Maximum number of differences that are reported.
const MAX_DIFFERENCES: usize = 5;

/// A result that may be returned.
pub(super) struct CheckedResult {
    pub(super) value: Value,
    /// A note about its differences from the schema, if there are any.
    pub(super) note: Option<Content>,
}

/// Checks a result. Fails if it differs and the tool insists on its schema.
pub(super) fn check_result(tool: &Tool, value: Value) -> Result<CheckedResult, Failure> {
    let found = find_differences(tool, &value);
    let Some(first) = found.first() else {
        let note = describe_other_fields(tool, &value).map(|message| {
            tracing::info!(tool = tool.name, "{message}");
            Content::Text(format!("note: {message}"))
        });
        return Ok(CheckedResult { value, note });
    };
    let others =
        if found.len() > 1 { format!(", and {} more", found.len() - 1) } else { String::new() };
    let message =
        format!("the result of `{}` does not match its specification: {first}{others}", tool.name);
    tracing::info!(tool = tool.name, "{message}");
    match tool.on_mismatch {
        Some(OnMismatch::Fail) => {
            Err(Failure::new(ErrorType::OutputMismatch, message)
                .details(json!({"mismatches": found})))
        }
        _ => Ok(CheckedResult {
            value: wrap_in_object(tool, value),
            note: Some(Content::Text(format!("note: {message}"))),
        }),
    }
}

/// Checks the outcome of another tool against the schema of this one, which stands for it.
pub fn check_outcome(tool: &Tool, outcome: Outcome) -> Outcome {
    let is_started =
        outcome.structured.as_ref().is_some_and(|value| value.get("operation_id").is_some());
    let Outcome { mut content, structured: Some(value), failed: false } = outcome else {
        return outcome;
    };
    if is_started {
        // An operation that was just started has no result yet.
        return Outcome { content, structured: Some(value), failed: false };
    }
    match check_result(tool, value) {
        Ok(checked) => {
            content.extend(checked.note);
            Outcome { content, structured: Some(checked.value), failed: false }
        }
        Err(failure) => failures::to_outcome(tool, failure),
    }
}

/// The differences between a result and the output schema, in words.
fn find_differences(tool: &Tool, value: &Value) -> Vec<String> {
    // Without `on_mismatch` the backend guarantees the match, so there is nothing to check.
    let Some(output) = tool.output.as_ref().filter(|_| tool.on_mismatch.is_some()) else {
        return Vec::new();
    };
    describe_differences(output, value)
}

/// Describes the fields of a result that its schema does not list. They are valid, because
/// specifications rarely list every field, but a renamed field would otherwise go unnoticed.
fn describe_other_fields(tool: &Tool, value: &Value) -> Option<String> {
    let schema = tool.output.as_ref().filter(|_| tool.on_mismatch.is_some())?.object();
    let listed = schema.get("properties")?.as_object().filter(|listed| !listed.is_empty())?;
    let is_open = schema.get("additionalProperties").is_none_or(|others| *others == true);
    let fields =
        value.as_object().filter(|_| is_open && !schema.contains_key("patternProperties"))?;
    let names = |names: Vec<&String>| {
        let shown = names.iter().take(MAX_DIFFERENCES).map(|name| format!("`{name}`"));
        shown.collect::<Vec<_>>().join(", ")
    };
    let others: Vec<_> = fields.keys().filter(|name| !listed.contains_key(*name)).collect();
    if others.is_empty() {
        return None;
    }
    let missing: Vec<_> = listed.keys().filter(|name| !fields.contains_key(*name)).collect();
    let lacks =
        if missing.is_empty() { String::new() } else { format!(", and lacks {}", names(missing)) };
    Some(format!(
        "the result of `{}` has {}, which its specification does not list{lacks}",
        tool.name,
        names(others)
    ))
}

/// Describes the differences between a value and a schema.
pub(crate) fn describe_differences(schema: &Schema, value: &Value) -> Vec<String> {
    let Ok(validator) = schema.validator() else {
        return Vec::new();
    };
    let found = validator.iter_errors(value).take(MAX_DIFFERENCES).map(|error| {
        let path = error.instance_path().to_string();
        let path = if path.is_empty() { "the whole".to_owned() } else { format!("`{path}`") };
        // Masked, because a result may be long or contain secrets, and the message goes to the log.
        format!("{path}: {}", error.masked_with("it"))
    });
    found.collect()
}

/// Wraps a result that is not an object where the schema promises one: clients reject
/// `structuredContent` that is not an object then.
fn wrap_in_object(tool: &Tool, value: Value) -> Value {
    let promises_object = tool
        .output
        .as_ref()
        .and_then(|output| output.object().get("type"))
        .is_some_and(|kind| kind == "object");
    if promises_object && !value.is_object() {
        Value::Object(Map::from_iter([("result".to_owned(), value)]))
    } else {
        value
    }
}

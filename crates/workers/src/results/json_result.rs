//! Outcomes of JSON values: a failure that the value reports, or a result that is checked against
//! the output schema.

use catalog::{Content, Outcome, Tool, failures};
use serde_json::{Map, Value};

use super::{ResultSink, mismatch::check_result, returned::ReturnedValue};

/// Maximum length of a JSON text that is read, in bytes. An outcome contains far less of it.
pub const MAX_JSON_BYTES: usize = 16 * 1024 * 1024;

/// Values of `status` that report a failure.
const FAILURE_STATUSES: [&str; 3] = ["failure", "failed", "error"];

/// The limits of a result, and the content that follows it.
pub struct JsonResultOptions<'a> {
    /// Takes the full value if it is too long.
    pub sink: &'a dyn ResultSink,
    /// Maximum bytes of JSON in the outcome.
    pub output_bytes: usize,
    /// Content blocks after the value: other output of the program or function.
    pub notes: Vec<Content>,
}

/// The outcome of a value: a failure if it reports one, or does not match the output schema of a
/// tool that insists on it.
pub async fn build_outcome(tool: &Tool, value: Value, options: JsonResultOptions<'_>) -> Outcome {
    if let Some(failure) = find_reported_failure(&value) {
        return build_failed_outcome(tool, failure, options.notes);
    }
    let checked = match check_result(tool, value) {
        Ok(checked) => checked,
        Err(failure) => {
            let mut outcome = failures::to_outcome(tool, failure);
            outcome.content.extend(options.notes);
            return outcome;
        }
    };
    let returned = ReturnedValue::new(checked.value, options.sink, options.output_bytes).await;
    let mut content = returned.content();
    content.extend(checked.note);
    content.extend(options.notes);
    // A null is no result, unless the tool declares that it may return one.
    let structured = Some(returned.value).filter(|value| !value.is_null() || tool.output.is_some());
    Outcome { content, structured, failed: false }
}

/// The outcome of a failure that was reported as a standard error object.
pub fn build_failed_outcome(
    tool: &Tool,
    mut failure: Map<String, Value>,
    notes: Vec<Content>,
) -> Outcome {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let message = text(&failure["error_message"]).unwrap_or_default();
    let error_type = text(&failure["error_type"]).unwrap_or_default();
    // The innermost frame is the most useful one to a reader.
    let frames = failure.get("error_details").and_then(|details| details["traceback"].as_array());
    let location = frames.and_then(|frames| frames.last()).and_then(text);
    let place = |frame: String| frame.split(": ").next().map(|place| format!(" (at {place})"));
    let location = location.and_then(place).unwrap_or_default();
    let message = format!("`{}` failed: {error_type}: {message}{location}", tool.name);
    failure.entry("error_details").or_insert(Value::Null);
    let content = std::iter::once(Content::Text(message)).chain(notes).collect();
    Outcome { content, structured: Some(Value::Object(failure)), failed: true }
}

/// The standard error object of a value that reports a failure: it has a `status` of failure, and a
/// message or an error type, at the top or in `error`. Other fields are kept.
pub fn find_reported_failure(value: &Value) -> Option<Map<String, Value>> {
    let object = value.as_object()?;
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    // Programs write `Failure` and `ERROR` as well.
    let status = text("status")?.to_ascii_lowercase();
    let inner = object.get("error").and_then(Value::as_object);
    let inner_text = |name: &str| inner?.get(name)?.as_str();
    let message = ["error_message", "message", "error"]
        .into_iter()
        .find_map(text)
        .or_else(|| inner_text("error_message"));
    let error_type = text("error_type").or_else(|| inner_text("error_type"));
    // A status alone is not enough: a tool may well return the status of something else.
    if !FAILURE_STATUSES.contains(&status.as_str()) || (message.is_none() && error_type.is_none()) {
        return None;
    }
    let mut failure = object.clone();
    failure.insert("status".to_owned(), "failure".into());
    failure.insert("error_type".to_owned(), error_type.unwrap_or("error").into());
    failure
        .insert("error_message".to_owned(), message.unwrap_or("no error message was given").into());
    if let Some(details) = inner.and_then(|inner| inner.get("error_details")).cloned() {
        failure.entry("error_details").or_insert(details);
    }
    Some(failure)
}

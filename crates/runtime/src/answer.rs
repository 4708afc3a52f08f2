//! What a program or a function outside answered with, as JSON: a failure that it reports itself, or a
//! value that is held against what the tool says it returns.

use catalog::{Content, ErrorType, Failure, Outcome, Tool};
use process::{CapturedOutput, Finished};
use serde_json::{Map, Value, json};

use crate::{failures, mismatch, outputs::Spill, report, returned, returned::Returned};

/// The longest answer that is read, in bytes. What is returned of it is far less.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

/// Words for `status` that mean a failure.
const FAILURES: [&str; 3] = ["failure", "failed", "error"];

/// Where an answer goes, and what goes with it.
pub(crate) struct Way<'a> {
    pub(crate) spill: &'a Spill<'a>,
    /// How many bytes of it are returned.
    pub(crate) limit: usize,
    /// What was printed besides, for a model.
    pub(crate) asides: Vec<Content>,
}

/// The outcome of a value.
pub(crate) async fn outcome(tool: &Tool, value: Value, way: Way<'_>) -> Outcome {
    if let Some(failure) = reported(&value) {
        return failed(tool, failure, way.asides);
    }
    let judged = match mismatch::judge(tool, value) {
        Ok(judged) => judged,
        Err(failure) => {
            let mut outcome = failures::to_outcome(tool, failure);
            outcome.content.extend(way.asides);
            return outcome;
        }
    };
    let returned = Returned::new(judged.value, way.spill, way.limit).await;
    let mut content = returned.content();
    content.extend(judged.note);
    content.extend(way.asides);
    // Nothing is not a result, unless the tool says that it may be.
    let structured = Some(returned.value).filter(|value| !value.is_null() || tool.output.is_some());
    Outcome { content, structured, failed: false }
}

/// The outcome of a failure that was reported in the standard form.
pub(crate) fn failed(
    tool: &Tool,
    mut failure: Map<String, Value>,
    asides: Vec<Content>,
) -> Outcome {
    let message = failure["error_message"].as_str().unwrap_or_default();
    let message = format!(
        "`{}` failed: {}: {message}",
        tool.name,
        failure["error_type"].as_str().unwrap_or_default()
    );
    failure.entry("error_details").or_insert(Value::Null);
    let content = std::iter::once(Content::Text(message)).chain(asides).collect();
    Outcome { content, structured: Some(Value::Object(failure)), failed: true }
}

/// The standard error object, if a value says that something failed: `status` says so, and something says why.
/// What it has beyond the standard stays.
fn reported(value: &Value) -> Option<Map<String, Value>> {
    let object = value.as_object()?;
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let status = text("status")?.to_ascii_lowercase();
    let inner = object.get("error").and_then(Value::as_object);
    let inner_text = |name: &str| inner?.get(name)?.as_str();
    let message = ["error_message", "message", "error"]
        .into_iter()
        .find_map(text)
        .or_else(|| inner_text("error_message"));
    let kind = text("error_type").or_else(|| inner_text("error_type"));
    if !FAILURES.contains(&status.as_str()) || (message.is_none() && kind.is_none()) {
        return None;
    }
    let mut failure = object.clone();
    failure.insert("status".to_owned(), "failure".into());
    failure.insert("error_type".to_owned(), kind.unwrap_or("error").into());
    failure.insert("error_message".to_owned(), message.unwrap_or("it did not say why").into());
    if let Some(details) = inner.and_then(|inner| inner.get("error_details")).cloned() {
        failure.entry("error_details").or_insert(details);
    }
    Some(failure)
}

/// The outcome of a program that was to answer with JSON.
pub(crate) async fn of_program(
    tool: &Tool,
    finished: Finished,
    spill: &Spill<'_>,
    limit: usize,
) -> Outcome {
    let asides = returned::messages(&finished.stderr);
    let value = serde_json::from_str::<Value>(&finished.stdout.text);
    match (report::failure(tool, &finished.reason), value) {
        (None, Ok(value)) => outcome(tool, value, Way { spill, limit, asides }).await,
        (None, Err(error)) => unread(tool, &finished.stdout, &error, asides),
        // A program may say in JSON why it ended with another code than 0.
        (Some(_), Ok(value)) => match reported(&value) {
            Some(failure) => failed(tool, failure, asides),
            None => report::outcome(tool, finished),
        },
        (Some(_), Err(_)) => report::outcome(tool, finished),
    }
}

fn unread(
    tool: &Tool,
    stdout: &CapturedOutput,
    error: &serde_json::Error,
    asides: Vec<Content>,
) -> Outcome {
    let name = &tool.name;
    let failure = match stdout.is_truncated {
        true => Failure::new(
            ErrorType::ResultTooLarge,
            format!("`{name}` returned more than {LONGEST} bytes; return less"),
        ),
        false => Failure::new(
            ErrorType::NotJson,
            format!(
                "`{name}` ran, but what it printed is not JSON: {error}; print the result alone"
            ),
        ),
    };
    let shown: String = stdout.text.chars().take(1000).collect();
    let mut outcome = failures::to_outcome(tool, failure.details(json!({"stdout": shown})));
    outcome
        .content
        .extend(stdout.uri.clone().map(|uri| returned::link(uri, "stdout", "text/plain")));
    outcome.content.extend(asides);
    outcome
}

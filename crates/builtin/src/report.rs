//! Renders operations as text and as JSON.

use std::time::Duration;

use runtime::{
    operation::{Operation, OperationId, RESULTS},
    timestamp,
};
use serde_json::{Map, Value, json};
use toolkit::Content;

/// The URI of the resource with an operation's result.
pub fn operation_uri(id: &OperationId) -> String {
    format!("{RESULTS}{id}")
}

/// An operation as JSON, without its result. Unknown members are left out.
pub(crate) fn to_object(operation: &Operation) -> Map<String, Value> {
    let mut object = Map::new();
    let mut insert = |name: &str, value: Value| {
        if !value.is_null() {
            object.insert(name.to_owned(), value);
        }
    };
    insert("id", json!(operation.id));
    insert("tool", json!(operation.tool));
    insert("state", json!(operation.state));
    insert("created", json!(timestamp(operation.created)));
    insert("started", json!(operation.started.map(timestamp)));
    insert("ended", json!(operation.ended.map(timestamp)));
    insert("elapsed_seconds", json!(seconds(operation.elapsed)));
    insert("progress", json!(operation.progress.fraction));
    insert("message", json!(operation.progress.message));
    insert("last_line", json!(operation.last_line));
    object
}

/// An operation as JSON, with its result.
pub(crate) fn to_object_with_result(operation: &Operation) -> Map<String, Value> {
    let mut object = to_object(operation);
    if let Some(outcome) = &operation.outcome {
        let structured = outcome
            .structured
            .clone()
            .unwrap_or_else(|| json!({"text": content_texts(&outcome.content).join("\n")}));
        object.insert("result".to_owned(), structured);
    }
    object
}

/// Summarizes an operation in one line: id, tool, state, progress and run time.
pub fn summarize_operation(operation: &Operation) -> String {
    let mut line = format!(
        "{} `{}`: {}",
        operation.id,
        operation.tool,
        operation.state.as_str().replace('_', " ")
    );
    if let Some(fraction) = operation.progress.fraction.filter(|_| !operation.state.is_final()) {
        line.push_str(&format!(", {:.0} %", fraction * 100.0));
    }
    if !operation.elapsed.is_zero() {
        line.push_str(&format!(", {} s", seconds(operation.elapsed)));
    }
    let message = operation.progress.message.as_ref().or(operation.last_line.as_ref());
    if let Some(message) = message.filter(|_| !operation.state.is_final()) {
        line.push_str(&format!(": {message}"));
    }
    line
}

/// The content of a finished operation: its summary, then its result.
pub(crate) fn result_content(operation: &Operation) -> Vec<Content> {
    let head = Content::Text(summarize_operation(operation));
    [head]
        .into_iter()
        .chain(operation.outcome.iter().flat_map(|outcome| outcome.content.clone()))
        .collect()
}

/// The texts of content blocks, with placeholders for other blocks.
pub fn content_texts(content: &[Content]) -> Vec<String> {
    let text = |content: &Content| match content {
        Content::Text(text) | Content::Resource { text, .. } => text.clone(),
        Content::Image { mime_type, data } | Content::Audio { mime_type, data } => {
            format!("[{mime_type}, {} bytes]", data.len())
        }
        Content::Link { uri, name, .. } => format!("[{name}: {uri}]"),
    };
    content.iter().map(text).collect()
}

/// Seconds with one decimal.
fn seconds(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 10.0).round() / 10.0
}

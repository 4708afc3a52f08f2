//! Operations in words and as data.

use std::time::Duration;

use runtime::{
    operation::{Operation, OperationId, RESULTS},
    timestamp,
};
use serde_json::{Map, Value, json};
use toolkit::Content;

/// The address of an operation's result.
pub fn operation_uri(id: &OperationId) -> String {
    format!("{RESULTS}{id}")
}

/// An operation as data, without its result. What is not known is left out.
pub(crate) fn to_object(operation: &Operation) -> Map<String, Value> {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            object.insert(name.to_owned(), value);
        }
    };
    put("id", json!(operation.id));
    put("tool", json!(operation.tool));
    put("state", json!(operation.state));
    put("created", json!(timestamp(operation.created)));
    put("started", json!(operation.started.map(timestamp)));
    put("ended", json!(operation.ended.map(timestamp)));
    put("elapsed_seconds", json!(seconds(operation.elapsed)));
    put("progress", json!(operation.progress.fraction));
    put("message", json!(operation.progress.message));
    put("last_line", json!(operation.last_line));
    object
}

/// An operation as data, with its result.
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

/// One line about an operation: what it is, how far, how long.
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
    let said = operation.progress.message.as_ref().or(operation.last_line.as_ref());
    if let Some(said) = said.filter(|_| !operation.state.is_final()) {
        line.push_str(&format!(": {said}"));
    }
    line
}

/// What a finished operation came to, as content: its line, then what it answered.
pub(crate) fn result_content(operation: &Operation) -> Vec<Content> {
    let head = Content::Text(summarize_operation(operation));
    [head]
        .into_iter()
        .chain(operation.outcome.iter().flat_map(|outcome| outcome.content.clone()))
        .collect()
}

/// The texts of content; of the rest, what it is.
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

fn seconds(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 10.0).round() / 10.0
}

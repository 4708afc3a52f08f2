//! A returned value as it appears in an outcome: complete, or truncated with the full value in a
//! file.

use catalog::Content;
use process::CapturedOutput;
use serde_json::{Map, Value};

use super::ResultSink;

/// Objects with up to this many members keep all of them when a value is truncated, because the
/// output schema may require them. Larger ones are treated as maps, which may lose members.
pub(crate) const MAX_KEPT_MEMBERS: usize = 1_000;

/// The end of a text that was truncated.
const ELLIPSIS: &str = "…";

/// A value as it appears in an outcome.
pub(crate) struct ReturnedValue {
    pub(crate) value: Value,
    /// The value as JSON, if it is complete.
    pub(crate) text: Option<String>,
    /// The URI of the full value, if this is truncated.
    pub(crate) uri: Option<String>,
    /// How to read the full value, if it was stored.
    pub(crate) access: Option<String>,
    pub(crate) is_truncated: bool,
}

impl ReturnedValue {
    /// Truncates a value to about `max_bytes` of JSON.
    pub(crate) async fn new(value: Value, sink: &dyn ResultSink, max_bytes: usize) -> Self {
        let text = value.to_string();
        if text.len() <= max_bytes {
            return Self { value, text: Some(text), uri: None, access: None, is_truncated: false };
        }
        let file = match sink.open_value().await {
            Some(mut file) => {
                file.write(text.as_bytes()).await;
                file.finish().await
            }
            None => None,
        };
        // Truncated even if there is no file, because that is better than an outcome that a client
        // rejects.
        let value = JsonBudget::new(max_bytes).truncate(value);
        let uri = file.map(|(uri, _)| uri);
        let access = uri.as_deref().map(|uri| sink.describe_access(uri));
        Self { value, text: None, uri, access, is_truncated: true }
    }

    /// The value for a model: a string as it is, anything else as JSON; then a link to the full
    /// value if it is truncated.
    pub(crate) fn content(&self) -> Vec<Content> {
        let text = match (&self.value, &self.text) {
            (Value::String(text), _) => text.clone(),
            (_, Some(text)) => text.clone(),
            (value, None) => value.to_string(),
        };
        let mut content = vec![Content::Text(text)];
        if self.is_truncated {
            let location = self.access.as_deref().unwrap_or("it could not be stored");
            content.push(Content::Text(format!("[the value is truncated; {location}]")));
            content.extend(self.uri.clone().map(|uri| link(uri, "value", "application/json")));
        }
        content
    }
}

/// The standard output of a function that returned something else, for a model.
pub(crate) fn stdout_content(stdout: &CapturedOutput) -> Vec<Content> {
    if stdout.text.is_empty() {
        return Vec::new();
    }
    let text = Content::Text(format!("printed:\n{}", stdout.text));
    std::iter::once(text)
        .chain(stdout.uri.clone().map(|uri| link(uri, "stdout", "text/plain")))
        .collect()
}

/// The standard error of a function or program, for a model.
pub fn stderr_content(stderr: &CapturedOutput) -> Vec<Content> {
    let text = stderr.text.trim_end();
    let text = (!text.trim().is_empty()).then(|| Content::Text(format!("messages:\n{text}")));
    text.into_iter()
        .chain(stderr.uri.clone().map(|uri| link(uri, "stderr", "text/plain")))
        .collect()
}

/// A link to a long output of a call.
pub fn link(uri: String, name: &str, mime_type: &str) -> Content {
    Content::Link { uri, name: name.to_owned(), mime_type: mime_type.to_owned() }
}

/// The number of bytes of JSON that a value may still use.
pub(crate) struct JsonBudget {
    remaining: usize,
    /// Whether something was left out.
    pub(crate) is_exceeded: bool,
}

impl JsonBudget {
    /// A budget in bytes.
    pub(crate) fn new(remaining: usize) -> Self {
        Self { remaining, is_exceeded: false }
    }

    /// Returns whether the budget is used up, and records that something is left out if so.
    pub(crate) fn is_used_up(&mut self) -> bool {
        self.is_exceeded |= self.remaining == 0;
        self.remaining == 0
    }

    /// Counts the name of a member, with its quotes and colon.
    pub(crate) fn count_name(&mut self, name: &str) {
        self.remaining = self.remaining.saturating_sub(name.len() + 3);
    }

    /// Counts the delimiters of an array, object or text.
    pub(crate) fn count_delimiters(&mut self) {
        self.remaining = self.remaining.saturating_sub(2);
    }

    /// Truncates a value to the budget. Objects keep up to [`MAX_KEPT_MEMBERS`] members, truncated
    /// themselves. Nothing is counted as longer than it is, so a value that fits is never
    /// truncated.
    pub(crate) fn truncate(&mut self, value: Value) -> Value {
        match value {
            Value::Array(items) => {
                self.count_delimiters();
                let mut kept = Vec::new();
                for item in items {
                    if self.is_used_up() {
                        break;
                    }
                    kept.push(self.truncate(item));
                }
                Value::Array(kept)
            }
            Value::Object(members) => {
                let mut kept = Map::new();
                for (name, value) in members {
                    if kept.len() >= MAX_KEPT_MEMBERS && self.is_used_up() {
                        break;
                    }
                    self.count_name(&name);
                    kept.insert(name, self.truncate(value));
                }
                Value::Object(kept)
            }
            Value::String(text) if text.len() > self.remaining => {
                self.is_exceeded = true;
                let end = text.floor_char_boundary(self.remaining);
                self.remaining = 0;
                Value::String(format!("{}{ELLIPSIS}", &text[..end]))
            }
            Value::String(text) => {
                self.remaining -= text.len();
                Value::String(text)
            }
            scalar => {
                self.remaining = self.remaining.saturating_sub(scalar.to_string().len());
                scalar
            }
        }
    }
}

//! A value that a function or a program returned, as it is answered: whole, or as much of it as there is
//! room for, with the whole in a file.

use catalog::Content;
use process::CapturedOutput;
use serde_json::{Map, Value};

use crate::outputs::{OutputKind, Spill};

/// The most members of an object that all stay when it is cut, because a tool may promise them. One
/// with more is a map, of which as much stays as there is room for.
pub(crate) const MOST_MEMBERS: usize = 1_000;

/// What ends a text that was cut.
const CUT: &str = "…";

/// A value as it is answered.
pub(crate) struct Returned {
    pub(crate) value: Value,
    /// The same as JSON, if all of it is there.
    pub(crate) text: Option<String>,
    /// Where the whole is, if this is not.
    pub(crate) uri: Option<String>,
    pub(crate) is_cut: bool,
}

impl Returned {
    /// As much of a value as `limit` bytes of JSON have room for.
    pub(crate) async fn new(value: Value, spill: &Spill<'_>, limit: usize) -> Self {
        let text = value.to_string();
        if text.len() <= limit {
            return Self { value, text: Some(text), uri: None, is_cut: false };
        }
        let whole = match spill.create(OutputKind::Value).await {
            Some(mut file) => {
                file.write(text.as_bytes()).await;
                file.finish().await
            }
            None => None,
        };
        let value = Room::new(limit).cut(value);
        Self { value, text: None, uri: whole.map(|(uri, _)| uri), is_cut: true }
    }

    /// The value for a model: a text as it is, anything else as JSON; then where the rest is.
    pub(crate) fn content(&self) -> Vec<Content> {
        let text = match (&self.value, &self.text) {
            (Value::String(text), _) => text.clone(),
            (_, Some(text)) => text.clone(),
            (value, None) => value.to_string(),
        };
        let mut content = vec![Content::Text(text)];
        if self.is_cut {
            let whole = self.uri.as_ref().map(|uri| format!("the whole is the resource {uri}"));
            let whole = whole.unwrap_or_else(|| "it could not be kept".to_owned());
            content.push(Content::Text(format!("[the value is cut; {whole}]")));
            content.extend(self.uri.clone().map(|uri| link(uri, "value", "application/json")));
        }
        content
    }
}

/// What was printed besides, for a model.
pub(crate) fn printed(stdout: &CapturedOutput) -> Vec<Content> {
    if stdout.text.is_empty() {
        return Vec::new();
    }
    let text = Content::Text(format!("printed:\n{}", stdout.text));
    std::iter::once(text)
        .chain(stdout.uri.clone().map(|uri| link(uri, "stdout", "text/plain")))
        .collect()
}

/// What was said apart from that, for a model.
pub(crate) fn messages(stderr: &CapturedOutput) -> Vec<Content> {
    let text = stderr.text.trim_end();
    let text = (!text.trim().is_empty()).then(|| Content::Text(format!("messages:\n{text}")));
    text.into_iter()
        .chain(stderr.uri.clone().map(|uri| link(uri, "stderr", "text/plain")))
        .collect()
}

/// A resource of a call.
pub(crate) fn link(uri: String, name: &str, mime_type: &str) -> Content {
    Content::Link { uri, name: name.to_owned(), mime_type: mime_type.to_owned() }
}

/// How much room is left in an answer.
pub(crate) struct Room {
    left: usize,
    /// Whether something had to be left out.
    pub(crate) is_cut: bool,
}

impl Room {
    /// Room for so many bytes of JSON.
    pub(crate) fn new(left: usize) -> Self {
        Self { left, is_cut: false }
    }

    /// Whether there is none. What does not come in for that is cut.
    pub(crate) fn is_full(&mut self) -> bool {
        self.is_cut |= self.left == 0;
        self.left == 0
    }

    /// Counts the name of a member.
    pub(crate) fn name(&mut self, name: &str) {
        self.left = self.left.saturating_sub(name.len() + 3);
    }

    /// As much of a value as there is room for. The members of an object stay, cut as they may be, up
    /// to a number. Nothing is counted as longer than it is, so that what fits is never cut.
    pub(crate) fn cut(&mut self, value: Value) -> Value {
        match value {
            Value::Array(items) => {
                self.left = self.left.saturating_sub(2);
                let mut kept = Vec::new();
                for item in items {
                    if self.is_full() {
                        break;
                    }
                    kept.push(self.cut(item));
                }
                Value::Array(kept)
            }
            Value::Object(members) => {
                let mut kept = Map::new();
                for (name, value) in members {
                    if kept.len() >= MOST_MEMBERS && self.is_full() {
                        break;
                    }
                    self.name(&name);
                    kept.insert(name, self.cut(value));
                }
                Value::Object(kept)
            }
            Value::String(text) if text.len() > self.left => {
                self.is_cut = true;
                let end = text.floor_char_boundary(self.left);
                self.left = 0;
                Value::String(format!("{}{CUT}", &text[..end]))
            }
            Value::String(text) => {
                self.left -= text.len();
                Value::String(text)
            }
            plain => {
                self.left = self.left.saturating_sub(plain.to_string().len());
                plain
            }
        }
    }
}

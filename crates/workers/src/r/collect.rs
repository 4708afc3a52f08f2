//! Collects a value from R as JSON: as much of it as fits into an outcome in memory, and all of it
//! in a file if it is longer.
//!
//! A long value arrives in chunks, so that neither side ever holds all of it as JSON.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use process::OutputFile;
use serde_json::{Map, Value};

use super::{
    json::{Expected, slice_items, slice_members, to_json},
    message::Message,
    value::{Data, RValue},
};
use crate::results::{JsonBudget, MAX_KEPT_MEMBERS, ResultSink, ReturnedValue};

/// The deepest nesting of arrays and objects. The worker itself sends deeper lists as text.
const MAX_DEPTH: usize = 200;

/// Maximum number of values that are kept without budget, because a schema may require them.
const MAX_REQUIRED: usize = 10_000;

/// Collects a value.
pub(super) struct ValueCollector<'a> {
    sink: &'a dyn ResultSink,
    /// Maximum bytes of JSON in an outcome.
    max_bytes: usize,
    budget: JsonBudget,
    /// Number of values that may still be kept without budget.
    required_left: usize,
    expected: Expected<'a>,
    /// Arrays, objects and texts whose end has not arrived, outermost first.
    open: Vec<OpenValue<'a>>,
    finished: Option<Value>,
    /// JSON that was not written to the file yet.
    text: Vec<u8>,
    /// Whether the JSON is longer than `max_bytes`.
    is_long: bool,
    file: Option<OutputFile>,
}

/// Converts bytes of a chunk to text.
type BytesToText = fn(&[u8]) -> String;

/// An array or object whose members still arrive, or a text whose rest does.
struct OpenValue<'a> {
    value: Value,
    /// How its chunks are converted, if it is a text.
    to_text: Option<BytesToText>,
    /// Whether it is the only item of an array that was opened for it.
    is_only_item: bool,
    /// The name of the next member.
    key: Option<String>,
    has_members: bool,
    expected: Expected<'a>,
}

impl<'a> ValueCollector<'a> {
    pub(super) fn new(sink: &'a dyn ResultSink, max_bytes: usize, expected: Expected<'a>) -> Self {
        Self {
            sink,
            max_bytes,
            budget: JsonBudget::new(max_bytes),
            required_left: MAX_REQUIRED,
            expected,
            open: Vec::new(),
            finished: None,
            text: Vec::new(),
            is_long: false,
            file: None,
        }
    }

    /// Adds a chunk of a long value. Fails if the message is of another kind, or out of bounds: a
    /// function can write messages of its own to the pipe.
    pub(super) async fn add_chunk(&mut self, mut message: Message) -> Result<(), String> {
        match message.kind.as_str() {
            "piece" => self.add_value(&message.next_value()).await,
            "items" => self.add_items(&message.next_value()).await,
            // Dropping a value recurses, so that a nesting without limit would overflow the stack.
            "open" if self.open.len() >= MAX_DEPTH => {
                return Err("a value that is nested too deeply".to_owned());
            }
            "open" => self.open(message.next_text().as_deref()),
            "key" => self.set_key(message.next_text()),
            "close" => self.close().await,
            unknown => return Err(format!("an unknown reply `{unknown}`")),
        }
        Ok(())
    }

    /// Adds a complete value.
    pub(super) async fn add_value(&mut self, value: &RValue) {
        let value = to_json(value, self.next_expected());
        self.write_separator();
        self.text.extend(value.to_string().as_bytes());
        self.flush().await;
        self.add_within_budget(value);
    }

    /// Adds several items or members, or a part of a text.
    async fn add_items(&mut self, slice: &RValue) {
        let Some(OpenValue { value, expected, to_text, .. }) = self.open.last() else {
            return;
        };
        if let (Some(to_text), Data::Raw(bytes)) = (to_text, &slice.data) {
            return self.add_text(to_text(bytes)).await;
        }
        let members: Vec<_> = match value {
            Value::Object(_) => slice_members(slice, *expected)
                .into_iter()
                .map(|(name, item)| (Some(name), item))
                .collect(),
            _ => {
                slice_items(slice, expected.items()).into_iter().map(|item| (None, item)).collect()
            }
        };
        for (name, item) in members {
            self.set_key(name);
            self.write_separator();
            self.text.extend(item.to_string().as_bytes());
            self.add_within_budget(item);
        }
        self.flush().await;
    }

    async fn add_text(&mut self, part: String) {
        let part = Value::String(part);
        let quoted = part.to_string();
        // The quotes are left out: the opening one was written when the text was opened, the
        // closing one comes with its end.
        self.text.extend(&quoted.as_bytes()[1..quoted.len() - 1]);
        self.flush().await;
        if !self.budget.is_used_up()
            && let Value::String(part) = self.budget.truncate(part)
            && let Some(OpenValue { value: Value::String(text), .. }) = self.open.last_mut()
        {
            text.push_str(&part);
        }
    }

    /// Sets the name of the next member, if the open value is an object.
    fn set_key(&mut self, name: Option<String>) {
        if let Some(open) = self.open.last_mut()
            && open.value.is_object()
        {
            open.key = Some(name.unwrap_or_default());
        }
    }

    fn open(&mut self, kind: Option<&str>) {
        let expected = self.next_expected();
        // The worker sends a character vector of one long element as a text.
        let is_only_item = kind == Some("text") && expected.wants_array();
        if is_only_item {
            self.open(None);
        }
        let (value, to_text): (_, Option<BytesToText>) = match kind {
            Some("text") => (
                Value::String(String::new()),
                Some(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            ),
            Some("raw") => (Value::String(String::new()), Some(|bytes| STANDARD.encode(bytes))),
            Some("list") if expected.allows_list_as_object() => (Value::Object(Map::new()), None),
            Some("vector") if expected.allows_vector_as_object() => {
                (Value::Object(Map::new()), None)
            }
            _ => (Value::Array(Vec::new()), None),
        };
        self.write_separator();
        self.text.push(delimiters(&value).0);
        self.budget.count_delimiters();
        self.open.push(OpenValue {
            value,
            to_text,
            is_only_item,
            key: None,
            has_members: false,
            expected,
        });
    }

    async fn close(&mut self) {
        let Some(closed) = self.open.pop() else { return };
        self.text.push(delimiters(&closed.value).1);
        self.flush().await;
        if self.has_room() {
            self.add(closed.value);
        }
        if closed.is_only_item {
            // Async recursion needs a box; it is at most one level deep.
            Box::pin(self.close()).await;
        }
    }

    /// The schema of the value that comes next.
    fn next_expected(&self) -> Expected<'a> {
        match self.open.last() {
            None => self.expected,
            Some(OpenValue { key: Some(key), expected, .. }) => expected.member(key),
            Some(open) => open.expected.items(),
        }
    }

    /// Writes the comma and the name before a member of the open value.
    fn write_separator(&mut self) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        if std::mem::replace(&mut open.has_members, true) {
            self.text.push(b',');
        }
        if let Some(key) = &open.key {
            self.text.extend(Value::from(key.as_str()).to_string().as_bytes());
            self.text.push(b':');
        }
    }

    /// Adds as much of a value as the budget allows.
    fn add_within_budget(&mut self, value: Value) {
        if !self.has_room() {
            return;
        }
        if let Some(OpenValue { key: Some(key), .. }) = self.open.last() {
            self.budget.count_name(key);
        }
        let value = self.budget.truncate(value);
        self.add(value);
    }

    /// Whether the open value can take another member.
    fn has_room(&mut self) -> bool {
        if !self.budget.is_used_up() {
            return true;
        }
        // A member that the schema may require stays, truncated, even without budget.
        let is_required = self.open.last().is_none_or(|open| match &open.value {
            Value::Object(members) => members.len() < MAX_KEPT_MEMBERS,
            _ => false,
        });
        let has_room = is_required && self.required_left > 0;
        self.required_left -= usize::from(has_room);
        has_room
    }

    fn add(&mut self, value: Value) {
        let Some(open) = self.open.last_mut() else {
            self.finished = Some(value);
            return;
        };
        match (&mut open.value, open.key.take()) {
            (Value::Object(members), Some(key)) => _ = members.insert(key, value),
            // The key is taken in any case, so that a stale one cannot name the next member.
            (Value::Array(items), _) => items.push(value),
            _ => {}
        }
    }

    /// Moves the JSON to a file once it is too long for an outcome.
    async fn flush(&mut self) {
        if self.text.len() > self.max_bytes && !self.is_long {
            self.is_long = true;
            // A file only now: most values are short, and creating a file takes longer than
            // returning them.
            self.file = self.sink.open_value().await;
        }
        if self.is_long {
            if let Some(file) = &mut self.file {
                file.write(&self.text).await;
            }
            self.text.clear();
        }
    }

    /// The value for an outcome.
    pub(super) async fn finish(mut self) -> ReturnedValue {
        self.flush().await;
        let file = match self.file {
            Some(file) => file.finish().await,
            None => None,
        };
        let text = (!self.is_long).then(|| String::from_utf8_lossy(&self.text).into_owned());
        let uri = file.map(|(uri, _)| uri);
        ReturnedValue {
            value: self.finished.unwrap_or_default(),
            text,
            access: uri.as_deref().map(|uri| self.sink.describe_access(uri)),
            uri,
            is_truncated: self.budget.is_exceeded || self.is_long,
        }
    }
}

/// The JSON delimiters of an array, object or string.
fn delimiters(value: &Value) -> (u8, u8) {
    match value {
        Value::Object(_) => (b'{', b'}'),
        Value::Array(_) => (b'[', b']'),
        _ => (b'"', b'"'),
    }
}

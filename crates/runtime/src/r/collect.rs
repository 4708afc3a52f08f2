//! A value on its way from R to a caller: as JSON that fits into an answer, and whole in a file if
//! it does not. It may come in pieces, of which only what is answered stays in memory.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use process::OutputFile;
use serde_json::{Map, Value};

use super::{
    json::{Expected, items, json, members},
    message::Message,
    value::{Data, RValue},
};
use crate::{
    outputs::{OutputKind, Spill},
    returned::{MOST_MEMBERS, Returned, Room},
};

/// A value on its way.
pub(super) struct Collector<'a> {
    spill: &'a Spill<'a>,
    /// How many bytes of JSON are answered.
    limit: usize,
    room: Room,
    expected: Expected<'a>,
    open: Vec<Level<'a>>,
    done: Option<Value>,
    /// JSON that is in no file yet.
    text: Vec<u8>,
    /// Whether there is more than is answered.
    is_long: bool,
    whole: Option<OutputFile>,
}

/// What makes a text of bytes.
type Letters = fn(&[u8]) -> String;

/// An array or object whose members still come, or a text whose rest does.
struct Level<'a> {
    value: Value,
    /// What makes the text of its bytes, if it is one.
    letters: Option<Letters>,
    /// Whether it is the one item of the array around it.
    is_alone: bool,
    /// The name of the member that comes next.
    key: Option<String>,
    is_begun: bool,
    expected: Expected<'a>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(spill: &'a Spill<'a>, limit: usize, expected: Expected<'a>) -> Self {
        Self {
            spill,
            limit,
            room: Room::new(limit),
            expected,
            open: Vec::new(),
            done: None,
            text: Vec::new(),
            is_long: false,
            whole: None,
        }
    }

    /// Takes a piece. Says no to what is none.
    pub(super) async fn take(&mut self, mut message: Message) -> bool {
        match message.kind.as_str() {
            "piece" => self.value(&message.next()).await,
            "items" => self.items(&message.next()).await,
            "open" => self.begin(message.text().as_deref()),
            "key" => self.name(message.text()),
            "close" => self.close().await,
            _ => return false,
        }
        true
    }

    /// Takes a value whole.
    pub(super) async fn value(&mut self, value: &RValue) {
        let value = json(value, self.next_expected());
        self.begin_member();
        self.text.extend(value.to_string().as_bytes());
        self.flush().await;
        self.add(value);
    }

    async fn items(&mut self, slice: &RValue) {
        let Some(Level { value, expected, letters, .. }) = self.open.last() else {
            return;
        };
        if let (Some(letters), Data::Raw(bytes)) = (letters, &slice.data) {
            return self.letters(letters(bytes)).await;
        }
        let members: Vec<_> = match value {
            Value::Object(_) => members(slice, *expected)
                .into_iter()
                .map(|(name, item)| (Some(name), item))
                .collect(),
            _ => items(slice, expected.items()).into_iter().map(|item| (None, item)).collect(),
        };
        for (name, item) in members {
            self.name(name);
            self.begin_member();
            self.text.extend(item.to_string().as_bytes());
            self.add(item);
        }
        self.flush().await;
    }

    /// Takes more of a text.
    async fn letters(&mut self, more: String) {
        let more = Value::String(more);
        let quoted = more.to_string();
        self.text.extend(&quoted.as_bytes()[1..quoted.len() - 1]);
        self.flush().await;
        if !self.room.is_full()
            && let Value::String(more) = self.room.cut(more)
            && let Some(Level { value: Value::String(text), .. }) = self.open.last_mut()
        {
            text.push_str(&more);
        }
    }

    /// Whose value comes next, where members have names.
    fn name(&mut self, name: Option<String>) {
        if let Some(level) = self.open.last_mut()
            && level.value.is_object()
        {
            level.key = Some(name.unwrap_or_default());
        }
    }

    fn begin(&mut self, what: Option<&str>) {
        let expected = self.next_expected();
        let is_alone = what == Some("text") && expected.wants_array();
        if is_alone {
            self.begin(None);
        }
        let (value, letters): (_, Option<Letters>) = match what {
            Some("text") => (
                Value::String(String::new()),
                Some(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            ),
            Some("raw") => (Value::String(String::new()), Some(|bytes| STANDARD.encode(bytes))),
            Some("list") if expected.takes_list() => (Value::Object(Map::new()), None),
            Some("vector") if expected.takes_vector() => (Value::Object(Map::new()), None),
            _ => (Value::Array(Vec::new()), None),
        };
        self.begin_member();
        self.text.push(bounds(&value).0);
        self.open.push(Level { value, letters, is_alone, key: None, is_begun: false, expected });
    }

    async fn close(&mut self) {
        let Some(level) = self.open.pop() else { return };
        self.text.push(bounds(&level.value).1);
        self.flush().await;
        self.put(level.value);
        if level.is_alone {
            Box::pin(self.close()).await;
        }
    }

    fn next_expected(&self) -> Expected<'a> {
        match self.open.last() {
            None => self.expected,
            Some(Level { key: Some(key), expected, .. }) => expected.member(key),
            Some(level) => level.expected.items(),
        }
    }

    /// What stands before a member of an array or object.
    fn begin_member(&mut self) {
        let Some(level) = self.open.last_mut() else {
            return;
        };
        if std::mem::replace(&mut level.is_begun, true) {
            self.text.push(b',');
        }
        if let Some(key) = &level.key {
            self.text.extend(Value::from(key.as_str()).to_string().as_bytes());
            self.text.push(b':');
        }
    }

    /// Adds as much of a value as is answered.
    fn add(&mut self, value: Value) {
        let may_miss = self.open.last().is_some_and(|level| match &level.value {
            Value::Object(members) => members.len() >= MOST_MEMBERS,
            _ => true,
        });
        if may_miss && self.room.is_full() {
            return;
        }
        if let Some(Level { key: Some(key), .. }) = self.open.last() {
            self.room.name(key);
        }
        let value = self.room.cut(value);
        self.put(value);
    }

    fn put(&mut self, value: Value) {
        let Some(level) = self.open.last_mut() else {
            self.done = Some(value);
            return;
        };
        match (&mut level.value, level.key.take()) {
            (Value::Object(members), Some(key)) => _ = members.insert(key, value),
            (Value::Array(items), _) => items.push(value),
            _ => {}
        }
    }

    /// Once there is more than is answered, it goes to a file.
    async fn flush(&mut self) {
        if self.text.len() > self.limit && !self.is_long {
            self.is_long = true;
            self.whole = self.spill.create(OutputKind::Value).await;
        }
        if self.is_long {
            if let Some(whole) = &mut self.whole {
                whole.write(&self.text).await;
            }
            self.text.clear();
        }
    }

    /// The value as it is answered.
    pub(super) async fn finish(mut self) -> Returned {
        self.flush().await;
        let whole = match self.whole {
            Some(whole) => whole.finish().await,
            None => None,
        };
        let text = (!self.is_long).then(|| String::from_utf8_lossy(&self.text).into_owned());
        Returned {
            value: self.done.unwrap_or_default(),
            text,
            uri: whole.map(|(uri, _)| uri),
            is_cut: self.room.is_cut || self.is_long,
        }
    }
}

/// What stands before and after the members of a value.
fn bounds(value: &Value) -> (u8, u8) {
    match value {
        Value::Object(_) => (b'{', b'}'),
        Value::Array(_) => (b'[', b']'),
        _ => (b'"', b'"'),
    }
}

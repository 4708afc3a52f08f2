//! The tree of values.

use std::{borrow::Cow, ops::Range};

use serde_json::Number;

/// The bytes of a value or key. Files are far smaller than 4 GiB, so 32-bit offsets halve the size
/// of every node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        let short = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: short(start), end: short(end) }
    }

    /// The offset of the first byte.
    pub fn start(self) -> usize {
        self.start as usize
    }

    /// The number of bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it has no bytes.
    pub fn is_empty(self) -> bool {
        self.end == self.start
    }

    /// The bytes as a range of offsets.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value and its location.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'a> {
    /// The value, whose children are nodes too.
    pub value: Value<'a>,
    /// The bytes of the value.
    pub span: Span,
}

/// A JSON value. Text without escapes is borrowed from the source.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, exactly as serde_json represents it.
    Number(Number),
    /// A string without its quotes and escapes.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Node<'a>>),
    /// An object with its members in the order of the text. Duplicate keys are kept.
    Object(Vec<Member<'a>>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<'a> {
    /// The key, without quotes and escapes.
    pub key: Cow<'a, str>,
    /// The bytes of the key, including quotes.
    pub key_span: Span,
    /// The value of the member.
    pub value: Node<'a>,
}

impl<'a> Node<'a> {
    /// The members; empty if this is not an object.
    pub fn members(&self) -> &[Member<'a>] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    /// The items; empty if this is not an array.
    pub fn items(&self) -> &[Node<'a>] {
        match &self.value {
            Value::Array(items) => items,
            _ => &[],
        }
    }

    /// The first member with this key.
    pub fn member(&self, key: &str) -> Option<&Member<'a>> {
        self.members().iter().find(|member| member.key == key)
    }

    /// The value of the first member with this key.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.member(key).map(|member| &member.value)
    }

    /// Whether this is an object with at least one of these keys.
    pub fn has_any(&self, keys: &[&str]) -> bool {
        self.members().iter().any(|member| keys.contains(&&*member.key))
    }

    /// The string, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number, if this is one.
    pub fn as_number(&self) -> Option<&Number> {
        match &self.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Whether this is an object.
    pub fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    /// Creates a node for a value that is not in the text, such as a repaired one. `span` is the
    /// location to report.
    pub(crate) fn from_value(value: &serde_json::Value, span: Span) -> Self {
        let value = match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(value) => Value::Bool(*value),
            serde_json::Value::Number(number) => Value::Number(number.clone()),
            serde_json::Value::String(text) => Value::String(Cow::Owned(text.clone())),
            serde_json::Value::Array(items) => {
                Value::Array(items.iter().map(|item| Self::from_value(item, span)).collect())
            }
            serde_json::Value::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(key, value)| Member {
                        key: Cow::Owned(key.clone()),
                        key_span: span,
                        value: Self::from_value(value, span),
                    })
                    .collect(),
            ),
        };
        Self { value, span }
    }

    /// The value without locations.
    pub fn to_value(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => serde_json::Value::Bool(*value),
            Value::Number(number) => serde_json::Value::Number(number.clone()),
            Value::String(text) => serde_json::Value::String(text.as_ref().to_owned()),
            Value::Array(items) => {
                serde_json::Value::Array(items.iter().map(Node::to_value).collect())
            }
            Value::Object(members) => serde_json::Value::Object(
                members
                    .iter()
                    .map(|member| (member.key.as_ref().to_owned(), member.value.to_value()))
                    .collect(),
            ),
        }
    }
}

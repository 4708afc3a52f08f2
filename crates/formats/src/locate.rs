//! Resolves symbolic locations to bytes, for printing.

use std::{cell::OnceCell, ops::Range};

use catalog::{Location, pointer};

use crate::{
    document,
    format::MAX_BYTES,
    json::{Node, Value},
};

/// The bytes of a location. For several locations in one text, use a [`Locator`].
pub fn locate(text: &str, location: &Location) -> Range<usize> {
    Locator::new(text).range(location)
}

/// Resolves locations in one text.
pub struct Locator<'a> {
    text: &'a str,
    root: OnceCell<Option<Node<'a>>>,
}

impl<'a> Locator<'a> {
    /// Creates a locator. The text is parsed once, when the first location needs it.
    pub fn new(text: &'a str) -> Self {
        Self { text, root: OnceCell::new() }
    }

    fn root(&self) -> Option<&Node<'a>> {
        let parse = || {
            // Such a file is reported as a whole and was not parsed when it was read either.
            if self.text.len() > MAX_BYTES { None } else { document::parse(self.text).root }
        };
        self.root.get_or_init(parse).as_ref()
    }

    /// The bytes of a location; those of its nearest ancestor if it does not exist, since a missing
    /// field is reported at the object that lacks it.
    pub fn range(&self, location: &Location) -> Range<usize> {
        match location {
            Location::Whole => 0..self.text.len(),
            Location::Offset(offset) => self.character_at(*offset),
            Location::Span(span) => {
                self.text.floor_char_boundary(span.start)..self.text.ceil_char_boundary(span.end)
            }
            Location::Value(pointer) => self.find(pointer).map_or(0..0, |found| found.value),
            Location::Key(pointer) => {
                self.find(pointer).map_or(0..0, |found| found.key.unwrap_or(found.value))
            }
        }
    }

    fn character_at(&self, offset: usize) -> Range<usize> {
        let start = self.text.floor_char_boundary(offset);
        let length = self.text[start..].chars().next().map_or(0, char::len_utf8);
        start..start + length
    }

    fn find(&self, pointer: &str) -> Option<LocatedNode> {
        let mut node = self.root()?;
        let mut found = LocatedNode { key: None, value: node.span.range() };
        for token in pointer::tokens(pointer) {
            let (next, key) = match &node.value {
                Value::Array(items) => {
                    (token.parse::<usize>().ok().and_then(|index| items.get(index)), None)
                }
                Value::Object(_) => {
                    let member = node.member(&token);
                    (
                        member.map(|member| &member.value),
                        member.map(|member| member.key_span.range()),
                    )
                }
                _ => (None, None),
            };
            // The rest of the pointer does not exist: a missing field.
            let Some(next) = next else { break };
            node = next;
            found = LocatedNode { key, value: node.span.range() };
        }
        Some(found)
    }
}

struct LocatedNode {
    key: Option<Range<usize>>,
    value: Range<usize>,
}

//! What a worker says: the word for it, and what follows.

use super::value::{Data, RValue};

/// An answer of a worker, or a part of one.
pub(super) struct Message {
    /// The word for it.
    pub(super) kind: String,
    rest: std::vec::IntoIter<RValue>,
}

impl Message {
    /// A list that begins with a word is one.
    pub(super) fn new(value: RValue) -> Option<Self> {
        let Data::List(items) = value.data else {
            return None;
        };
        let mut rest = items.into_iter();
        let kind = rest.next()?.as_text()?.to_owned();
        Some(Self { kind, rest })
    }

    /// The next value; `NULL` after the last.
    pub(super) fn next(&mut self) -> RValue {
        self.rest.next().unwrap_or_else(RValue::null)
    }

    /// The next value, if it is bytes.
    pub(super) fn bytes(&mut self) -> Option<Vec<u8>> {
        match self.next().data {
            Data::Raw(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The next value, if it is a text.
    pub(super) fn text(&mut self) -> Option<String> {
        self.next().as_text().map(str::to_owned)
    }

    /// The next value, if it is a number.
    pub(super) fn number(&mut self) -> Option<f64> {
        match self.next().data {
            Data::Double(numbers) => numbers.first().copied(),
            _ => None,
        }
    }

    /// Whether the next value is `TRUE`.
    pub(super) fn truth(&mut self) -> bool {
        self.next().data == Data::Logical(vec![Some(true)])
    }
}

//! Messages of a worker.

use super::value::{Data, RValue};

/// A message of a worker: a list whose first element names its kind.
pub(super) struct Message {
    pub(super) kind: String,
    fields: std::vec::IntoIter<RValue>,
}

impl Message {
    /// `None` if the value is not a message.
    pub(super) fn new(value: RValue) -> Option<Self> {
        let Data::List(items) = value.data else {
            return None;
        };
        let mut fields = items.into_iter();
        let kind = fields.next()?.as_text()?.to_owned();
        Some(Self { kind, fields })
    }

    /// The next field; `NULL` after the last.
    pub(super) fn next_value(&mut self) -> RValue {
        self.fields.next().unwrap_or_else(RValue::null)
    }

    /// The next field, if it is a raw vector.
    pub(super) fn next_bytes(&mut self) -> Option<Vec<u8>> {
        match self.next_value().data {
            Data::Raw(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The next field, if it is a single string.
    pub(super) fn next_text(&mut self) -> Option<String> {
        self.next_value().as_text().map(str::to_owned)
    }

    /// The next field, if it is a number.
    pub(super) fn next_number(&mut self) -> Option<f64> {
        match self.next_value().data {
            Data::Double(numbers) => numbers.first().copied(),
            _ => None,
        }
    }

    /// Whether the next field is `TRUE`.
    pub(super) fn next_is_true(&mut self) -> bool {
        self.next_value().data == Data::Logical(vec![Some(true)])
    }
}

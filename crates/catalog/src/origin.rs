//! Where something in a definition comes from: a source and a location inside it.
//!
//! Locations are symbolic. Line and column are resolved when a diagnostic is printed, so that
//! readers need not carry spans through the model.

use std::{fmt, ops::Range, sync::Arc};

use crate::pointer;

/// The name of a definition file, relative to its crib if it is inside.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(Arc<str>);

impl SourceId {
    /// Names a source.
    pub fn new(name: impl AsRef<str>) -> Self {
        Self(Arc::from(name.as_ref()))
    }

    /// The name as it is printed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A location inside a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// The source as a whole.
    Whole,
    /// A JSON pointer (RFC 6901) to a value.
    Value(String),
    /// A JSON pointer to a member of an object whose key is the problem.
    Key(String),
    /// A byte offset, for text that cannot be parsed.
    Offset(usize),
    /// A byte range, for formats without pointers such as Markdown.
    Span(Range<usize>),
}

/// A source and a location inside it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The file, or whatever else was read.
    pub source: SourceId,
    /// The location inside the source.
    pub location: Location,
}

impl Origin {
    /// The source as a whole.
    pub fn whole_file(source: &SourceId) -> Self {
        Self { source: source.clone(), location: Location::Whole }
    }

    /// The value that `pointer` points at.
    pub fn value(source: &SourceId, pointer: impl Into<String>) -> Self {
        Self { source: source.clone(), location: Location::Value(pointer.into()) }
    }

    /// The key of the member that `pointer` points at.
    pub fn key(source: &SourceId, pointer: impl Into<String>) -> Self {
        Self { source: source.clone(), location: Location::Key(pointer.into()) }
    }

    /// The byte at `offset`.
    pub fn offset(source: &SourceId, offset: usize) -> Self {
        Self { source: source.clone(), location: Location::Offset(offset) }
    }

    /// The bytes of `span`.
    pub fn span(source: &SourceId, span: Range<usize>) -> Self {
        Self { source: source.clone(), location: Location::Span(span) }
    }

    /// The JSON pointer of this location, if it has one.
    pub fn pointer(&self) -> Option<&str> {
        match &self.location {
            Location::Value(pointer) | Location::Key(pointer) => Some(pointer),
            Location::Whole | Location::Offset(_) | Location::Span(_) => None,
        }
    }

    /// The origin of a part of this value; a whole source counts as its root.
    pub fn child(&self, token: impl fmt::Display) -> Self {
        self.join(&pointer::child("", &token.to_string()))
    }

    /// The origin of the value at the JSON pointer `path` inside this one.
    pub fn join(&self, path: &str) -> Self {
        let base = self.pointer().unwrap_or_default();
        Self { source: self.source.clone(), location: Location::Value(format!("{base}{path}")) }
    }
}

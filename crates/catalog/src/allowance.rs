//! Diagnostics that a definition suppresses, with the reason.

use std::ops::Range;

use crate::{Diagnostic, Location, Severity};

/// A suppression written in a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The code of the rule.
    pub code: String,
    /// The reason given; required, so that a reader can judge it later.
    pub reason: String,
    /// The bytes of the definition that it applies to.
    pub scope: Range<usize>,
    /// The bytes of the allowance itself.
    pub span: Range<usize>,
}

impl Allowance {
    /// Whether it suppresses this diagnostic of the same definition. Errors are never suppressed,
    /// because a tool with an error cannot be served.
    pub fn covers(&self, diagnostic: &Diagnostic) -> bool {
        let is_inside = match &diagnostic.origin.location {
            // A location without bytes is covered by an allowance for the whole document, whose
            // scope begins at 0.
            Location::Whole | Location::Value(_) | Location::Key(_) => self.scope.start == 0,
            Location::Offset(at) => self.scope.contains(at),
            Location::Span(span) => self.scope.contains(&span.start),
        };
        diagnostic.code == self.code && diagnostic.severity < Severity::Error && is_inside
    }
}

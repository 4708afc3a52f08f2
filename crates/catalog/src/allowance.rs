//! Problems that somebody has allowed, with the reason.

use std::ops::Range;

use crate::{Diagnostic, Location, Severity};

/// A problem that a definition allows itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The code of the rule.
    pub code: String,
    /// Why it is allowed.
    pub reason: String,
    /// The bytes of the definition in which it is.
    pub scope: Range<usize>,
    /// The bytes of the allowance itself.
    pub span: Range<usize>,
}

impl Allowance {
    /// Whether it is for this diagnostic, which is about the same definition. Errors are not allowed away: what has
    /// one cannot be served.
    pub fn covers(&self, diagnostic: &Diagnostic) -> bool {
        let is_inside = match &diagnostic.origin.place {
            Location::Whole | Location::Value(_) | Location::Key(_) => self.scope.start == 0,
            Location::Offset(at) => self.scope.contains(at),
            Location::Span(span) => self.scope.contains(&span.start),
        };
        diagnostic.code == self.code && diagnostic.severity < Severity::Error && is_inside
    }
}

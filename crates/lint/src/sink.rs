//! Collects the diagnostics of all rules.

use std::collections::HashSet;

use catalog::Diagnostic;

use crate::context::Context;

/// Where rules put their diagnostics.
pub(crate) struct DiagnosticSink<'a> {
    pub(crate) context: &'a Context,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl<'a> DiagnosticSink<'a> {
    pub(crate) fn new(context: &'a Context, diagnostics: Vec<Diagnostic>) -> Self {
        Self { context, diagnostics }
    }

    /// Adds a diagnostic. A rule that checks one tool need not name it: [`check`](crate::check)
    /// does.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The names of the tools that have an error so far.
    pub(crate) fn broken_tools(&self) -> HashSet<String> {
        self.diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.is_error())
            .filter_map(|diagnostic| diagnostic.tool.clone())
            .collect()
    }
}

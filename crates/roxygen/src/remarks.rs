//! What is said about the documentation of one file.

use catalog::{Diagnostic, Origin, Rule, Severity, SourceId};

/// What is said about one file, and about which tool.
pub(crate) struct Remarks {
    source: SourceId,
    /// The tool that is being made.
    pub(crate) tool: Option<String>,
    pub(crate) found: Vec<Diagnostic>,
}

impl Remarks {
    pub(crate) fn new(source: &SourceId) -> Self {
        Self { source: source.clone(), tool: None, found: Vec::new() }
    }

    /// Says that something is so, at a byte of the file, and what to do about it.
    pub(crate) fn say(
        &mut self,
        rule: &Rule,
        at: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.say_as(rule.severity, rule, at, message, hint);
    }

    /// As `say`, with another severity than the rule's own.
    pub(crate) fn say_as(
        &mut self,
        severity: Severity,
        rule: &Rule,
        at: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let mut diagnostic = Diagnostic::new(rule, Origin::offset(&self.source, at), message)
            .hint(hint)
            .severity(severity);
        diagnostic.tool.clone_from(&self.tool);
        self.found.push(diagnostic);
    }
}

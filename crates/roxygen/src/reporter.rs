//! Collects the diagnostics of one R file.

use catalog::{Diagnostic, Origin, Rule, Severity, SourceId};

pub(crate) struct Reporter {
    source: SourceId,
    /// The tool that is being compiled; later diagnostics belong to it.
    pub(crate) tool: Option<String>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Reporter {
    pub(crate) fn new(source: &SourceId) -> Self {
        Self { source: source.clone(), tool: None, diagnostics: Vec::new() }
    }

    /// Reports a problem at a byte offset of the file, with the severity of the rule.
    pub(crate) fn report(
        &mut self,
        rule: &Rule,
        offset: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.report_as(rule.severity, rule, offset, message, hint);
    }

    pub(crate) fn report_as(
        &mut self,
        severity: Severity,
        rule: &Rule,
        offset: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let origin = Origin::offset(&self.source, offset);
        let mut diagnostic = Diagnostic::new(rule, origin, message).hint(hint).severity(severity);
        diagnostic.tool.clone_from(&self.tool);
        self.diagnostics.push(diagnostic);
    }
}

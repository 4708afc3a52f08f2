//! A problem in a definition, as data, and the rules that find problems.

use std::collections::HashSet;

use serde_json::Value;

use crate::Origin;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing needs to be done.
    Note,
    /// Probably a mistake; the tool is still served.
    Warning,
    /// The tool cannot be served as written.
    Error,
}

impl Severity {
    /// The text in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The description of one kind of problem, separate from the code that finds it.
///
/// Format readers and lint rules list theirs; `toolcrib explain` and the reference pages are
/// generated from them.
#[derive(Debug)]
pub struct Rule {
    /// The stable code, `TC` and three digits.
    pub code: &'static str,
    /// The kebab-case name of the problem, used in `[[allow]]`.
    pub name: &'static str,
    /// The default severity.
    pub severity: Severity,
    /// Why it matters and what to do, in a few sentences.
    pub why: &'static str,
    /// A definition that has the problem.
    pub bad: &'static str,
    /// The same definition, corrected.
    pub good: &'static str,
}

/// A problem in a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The code of the rule.
    pub code: &'static str,
    /// The severity of its rule, unless the check overrides it.
    pub severity: Severity,
    /// The problem.
    pub message: String,
    /// The fix.
    pub hint: Option<String>,
    /// The location.
    pub origin: Origin,
    /// The second location of a problem between two places.
    pub also: Option<Origin>,
    /// The served name of the tool, where the problem belongs to one.
    pub tool: Option<String>,
    /// The expected value or type.
    pub expected: Option<String>,
    /// The value found.
    pub received: Option<Value>,
}

impl Diagnostic {
    /// A diagnostic of `rule`, with the rule's own severity.
    pub fn new(rule: &Rule, origin: Origin, message: impl Into<String>) -> Self {
        Self::of_code(rule.code, rule.severity, origin, message)
    }

    /// A diagnostic of a custom rule, which has no `Rule`.
    pub fn of_code(
        code: &'static str,
        severity: Severity,
        origin: Origin,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            hint: None,
            origin,
            also: None,
            tool: None,
            expected: None,
            received: None,
        }
    }

    /// Sets the hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the expected value or type.
    pub fn with_expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// Sets the value found.
    pub fn with_received(mut self, received: impl Into<Value>) -> Self {
        self.received = Some(received.into());
        self
    }

    /// Sets the second location.
    pub fn with_related(mut self, origin: Origin) -> Self {
        self.also = Some(origin);
        self
    }

    /// Sets the tool.
    pub fn tool(mut self, tool: impl Into<String>) -> Self {
        self.tool = Some(tool.into());
        self
    }

    /// Replaces the rule's own severity.
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Whether it keeps the tool from being served.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Removes diagnostics that repeat the code, origin and message of an earlier one.
pub fn remove_repeated(diagnostics: &mut Vec<Diagnostic>) {
    let mut seen = HashSet::new();
    let keys = diagnostics.iter().map(|found| (found.code, &found.origin, &found.message));
    // Two passes are needed, because the keys borrow from the list that `retain` changes.
    let mut is_new = keys.map(|key| seen.insert(key)).collect::<Vec<_>>().into_iter();
    diagnostics.retain(|_| is_new.next().unwrap_or(true));
}

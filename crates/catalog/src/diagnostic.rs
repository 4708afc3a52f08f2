//! A problem in a definition, as data, and the rules that find problems.

use serde_json::Value;

use crate::Origin;

/// How bad a problem is.
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
    /// The word that is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One kind of problem: what finds it is elsewhere, this is what is known about it.
///
/// Readers and lints each list theirs; `toolcrib explain` and the rule pages are made from these.
#[derive(Debug)]
pub struct Rule {
    /// The stable code, `TC` and three digits.
    pub code: &'static str,
    /// The name of the problem, in words that read after "allow".
    pub name: &'static str,
    /// How bad it is unless configured otherwise.
    pub severity: Severity,
    /// Why it matters and what to do, in a few sentences.
    pub why: &'static str,
    /// A definition that has the problem.
    pub bad: &'static str,
    /// The same without it.
    pub good: &'static str,
}

/// A problem in a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The code of the rule.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Where.
    pub origin: Origin,
    /// The other place, of a problem between two.
    pub also: Option<Origin>,
    /// The tool it concerns, by its served name, where there is one.
    pub tool: Option<String>,
    /// What should have been there.
    pub expected: Option<String>,
    /// What was there.
    pub received: Option<Value>,
}

impl Diagnostic {
    /// A diagnostic of `rule`, with the rule's own severity.
    pub fn new(rule: &Rule, origin: Origin, message: impl Into<String>) -> Self {
        Self::of_code(rule.code, rule.severity, origin, message)
    }

    /// A diagnostic of a rule that has only a code.
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

    /// Says what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says what should have been there.
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// Says what was there.
    pub fn received(mut self, received: impl Into<Value>) -> Self {
        self.received = Some(received.into());
        self
    }

    /// Names the other place.
    pub fn also(mut self, origin: Origin) -> Self {
        self.also = Some(origin);
        self
    }

    /// Names the tool.
    pub fn tool(mut self, tool: impl Into<String>) -> Self {
        self.tool = Some(tool.into());
        self
    }

    /// Replaces the rule's own severity.
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Whether this stops what it concerns from being served.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

//! Syntax problems.

use catalog::Rule;

/// A problem with the syntax of a JSON or YAML text.
#[derive(Clone, Debug)]
pub struct SyntaxProblem {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The offset, in bytes, at which it was noticed.
    pub offset: usize,
    /// The problem, without its location.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
}

impl SyntaxProblem {
    pub(crate) fn new(rule: &'static Rule, offset: usize, message: impl Into<String>) -> Self {
        Self { rule, offset, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

//! What is wrong with a text as JSON.

use catalog::Rule;

/// One thing that is wrong with a text as JSON.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The rule it breaks.
    pub rule: &'static Rule,
    /// The byte where it shows.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    pub(crate) fn new(rule: &'static Rule, offset: usize, message: impl Into<String>) -> Self {
        Self { rule, offset, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

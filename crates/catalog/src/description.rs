//! What a tool says about itself, in parts; rendering them by size is the `docs` crate's work.

use serde_json::{Map, Value};

/// The parts of a description.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// Shared guidance that stands before the text.
    pub guidance: Option<String>,
    /// The tool's own text.
    pub text: String,
    /// What to do while the tool runs.
    pub hint: Option<String>,
    /// How to get the program when it is missing.
    pub install: Option<String>,
    /// Code that uses the tool, with what it printed. Shown to people, not sent to models.
    pub transcript: Option<String>,
    /// How it is used, in general.
    pub usage: Option<String>,
    /// Calls, and what each of them shows.
    pub examples: Vec<Example>,
}

/// A call that shows something.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// What is passed.
    pub arguments: Map<String, Value>,
    /// What it shows.
    pub explanation: String,
}

impl Description {
    /// A description that is only its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

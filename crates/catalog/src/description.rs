//! The description of a tool, in parts. The `docs` crate renders them at different lengths.

use serde_json::{Map, Value};

/// The parts of a description.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// Shared guidance, rendered before the text.
    pub guidance: Option<String>,
    /// The description of the enclosing program, if the tool's own text is too short to be
    /// understood alone: `cargo_clippy` may be described as "Lint" in a file that describes
    /// `cargo`.
    pub context: Option<String>,
    /// The tool's own text.
    pub text: String,
    /// What to do while the tool runs.
    pub hint: Option<String>,
    /// How to install the program.
    pub install: Option<String>,
    /// Example code with its output. Shown to people, not sent to models.
    pub transcript: Option<String>,
    /// General usage notes.
    pub usage: Option<String>,
    /// Example calls.
    pub examples: Vec<Example>,
}

/// An example call.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The arguments of the call.
    pub arguments: Map<String, Value>,
    /// What the example demonstrates.
    pub explanation: String,
}

impl Description {
    /// The tool's own text, after its context.
    pub fn text_in_context(&self) -> String {
        match &self.context {
            Some(context) => format!("{context}: {}", self.text.trim()),
            None => self.text.trim().to_owned(),
        }
    }

    /// A description with nothing but a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

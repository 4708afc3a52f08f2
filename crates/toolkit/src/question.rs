//! Questions to the client or its user.

use serde_json::Value;

/// A question that only the client or its user can answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// A form for the user to fill in.
    Form {
        /// The text above the form.
        message: String,
        /// A flat object schema of strings, numbers, booleans and enums: MCP allows no nesting.
        schema: Value,
    },
    /// A prompt for the client's model.
    Sample {
        /// The text that the model continues.
        prompt: String,
        /// The maximum length of the answer, in tokens.
        max_tokens: u32,
    },
    /// The folders that the client works on.
    Roots,
}

impl Question {
    /// The capability that a client needs to answer.
    pub fn capability(&self) -> Capability {
        match self {
            Self::Form { .. } => Capability::Forms,
            Self::Sample { .. } => Capability::Sampling,
            Self::Roots => Capability::Roots,
        }
    }
}

/// An optional ability of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Shows forms to its user.
    Forms,
    /// Lets its model continue a text.
    Sampling,
    /// Names the folders that it works on.
    Roots,
    /// Follows operations that outlive their request, and answers their questions.
    Tasks,
}

/// The answer to a question, as the client sent it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer(pub Value);

impl Answer {
    /// Whether the user submitted the form, rather than declined or closed it.
    pub fn is_accepted(&self) -> bool {
        self.0.get("action").and_then(Value::as_str) == Some("accept")
    }

    /// The value of a field in a submitted form.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.0.get("content")?.get(name)
    }
}

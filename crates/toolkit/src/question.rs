//! Questions to the client or the person behind it.

use serde_json::Value;

/// Something that only the client, or the person behind it, can answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// A form to fill in: a flat object schema.
    Form {
        /// What is asked.
        message: String,
        /// An object schema of strings, numbers, booleans and enums.
        schema: Value,
    },
    /// A text for the client's model to go on with.
    Sample {
        /// The text.
        prompt: String,
        /// The longest answer.
        max_tokens: u32,
    },
    /// The folders the client works on.
    Roots,
}

/// The answer to a question, as the client gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer(pub Value);

impl Answer {
    /// Whether a form was filled in, rather than declined or closed.
    pub fn is_accepted(&self) -> bool {
        self.0.get("action").and_then(Value::as_str) == Some("accept")
    }

    /// A field of a form that was filled in.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.0.get("content")?.get(name)
    }
}

//! What came of a call.

use serde_json::{Value, json};

/// What came of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What a model reads.
    pub content: Vec<Content>,
    /// What a program reads.
    pub structured: Option<Value>,
    /// Whether the call failed or was refused.
    pub failed: bool,
}

impl Outcome {
    /// A good outcome that is a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::Text(text.into())], ..Self::default() }
    }

    /// A good outcome with content and structured data.
    pub fn structured(content: Vec<Content>, structured: Value) -> Self {
        Self { content, structured: Some(structured), failed: false }
    }
}

/// A piece of what a model reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// A picture.
    Image {
        /// Its bytes.
        data: Vec<u8>,
        /// Its media type.
        mime_type: String,
    },
    /// Sound.
    Audio {
        /// Its bytes.
        data: Vec<u8>,
        /// Its media type.
        mime_type: String,
    },
    /// A resource, whole.
    Resource {
        /// Its address.
        uri: String,
        /// Its media type.
        mime_type: String,
        /// Its text.
        text: String,
    },
    /// A resource, to be fetched.
    Link {
        /// Its address.
        uri: String,
        /// Its name.
        name: String,
        /// Its media type.
        mime_type: String,
    },
}

/// A refused or failed call: the standard error object.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The kind of failure, for programs: `invalid_arguments`, `timed_out`, …
    pub error_type: &'static str,
    /// What happened and what to do, for the model.
    pub message: String,
    /// Whatever else is known.
    pub details: Value,
}

impl Failure {
    /// A failure without details.
    pub fn new(error_type: &'static str, message: impl Into<String>) -> Self {
        Self { error_type, message: message.into(), details: Value::Null }
    }

    /// Adds what else is known.
    pub fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// The standard error object.
    pub fn object(&self) -> Value {
        json!({
            "status": "failure",
            "error_type": self.error_type,
            "error_message": self.message,
            "error_details": self.details,
        })
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        Self { structured: Some(failure.object()), content: vec![Content::Text(failure.message)], failed: true }
    }
}

//! What came of a call.

use serde_json::{Map, Value, json};

use crate::ErrorType;

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

    /// Why the call failed; `None` if it did not, or failed with a type of the tool's own.
    pub fn error_type(&self) -> Option<ErrorType> {
        let text = self.structured.as_ref()?.get("error_type")?.as_str()?;
        ErrorType::from_text(text).filter(|_| self.failed)
    }

    /// The same outcome with its failure, if it is one, written in the given form.
    pub fn with_errors(mut self, form: ErrorForm) -> Self {
        if let (true, Some(Value::Object(object))) = (self.failed, &mut self.structured) {
            let before = Value::Object(object.clone()).to_string();
            match form {
                ErrorForm::Envelope if object.contains_key("error_message") => {
                    *object = enveloped(std::mem::take(object))
                }
                ErrorForm::Standard if object.contains_key("success") => {
                    *object = standard(std::mem::take(object))
                }
                _ => return self,
            }
            // What a model reads is what programs read, where it was.
            let now = Value::Object(object.clone()).to_string();
            self.content
                .iter_mut()
                .filter(|content| **content == Content::Text(before.clone()))
                .for_each(|content| {
                    *content = Content::Text(now.clone());
                });
        }
        self
    }
}

/// How a failure is written down for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorForm {
    /// The standard error object: `status`, `error_type`, `error_message`, `error_details`.
    #[default]
    Standard,
    /// The envelope of native tools: `success`, `error`, `error_type` and what else is known.
    Envelope,
}

/// A standard error object as an envelope. What else a failed run left (its output, say) stays.
fn enveloped(mut object: Map<String, Value>) -> Map<String, Value> {
    let mut envelope = Map::from_iter([("success".to_owned(), Value::Bool(false))]);
    let renamed =
        [("error_message", "error"), ("error_type", "error_type"), ("error_details", "error_data")];
    for (name, new) in renamed {
        envelope.extend(
            object
                .shift_remove(name)
                .filter(|value| !value.is_null())
                .map(|value| (new.to_owned(), value)),
        );
    }
    object.shift_remove("status");
    envelope.extend(object);
    envelope
}

/// An envelope as a standard error object: what it says beyond the error are the details.
fn standard(mut envelope: Map<String, Value>) -> Map<String, Value> {
    let mut take = |name: &str| envelope.shift_remove(name).unwrap_or_default();
    let (message, error_type, data) = (take("error"), take("error_type"), take("error_data"));
    take("success");
    let mut details = envelope;
    match data {
        Value::Object(data) => details.extend(data),
        Value::Null => {}
        data => _ = details.insert("data".to_owned(), data),
    }
    let status = Value::from("failure");
    let details = if details.is_empty() { Value::Null } else { Value::Object(details) };
    let object = [
        ("status", status),
        ("error_type", error_type),
        ("error_message", message),
        ("error_details", details),
    ];
    object.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
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
    pub error_type: ErrorType,
    /// What happened and what to do, for the model.
    pub message: String,
    /// Whatever else is known.
    pub details: Value,
}

impl Failure {
    /// A failure without details.
    pub fn new(error_type: ErrorType, message: impl Into<String>) -> Self {
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
        Self {
            structured: Some(failure.object()),
            content: vec![Content::Text(failure.message)],
            failed: true,
        }
    }
}

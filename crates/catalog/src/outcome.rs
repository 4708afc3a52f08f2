//! The outcome of a call: content for models, structured data for programs, or a failure.

use serde_json::{Map, Value, json};

use crate::ErrorType;

/// The outcome of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Content blocks for the model.
    pub content: Vec<Content>,
    /// Structured data for programs.
    pub structured: Option<Value>,
    /// Whether the call failed or was rejected.
    pub failed: bool,
}

impl Outcome {
    /// A successful outcome with one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::Text(text.into())], ..Self::default() }
    }

    /// A successful outcome with content and structured data.
    pub fn structured(content: Vec<Content>, structured: Value) -> Self {
        Self { content, structured: Some(structured), failed: false }
    }

    /// Why the call failed; `None` if it did not, or failed with a type of the tool's own.
    pub fn error_type(&self) -> Option<ErrorType> {
        let text = self.structured.as_ref()?.get("error_type")?.as_str()?;
        ErrorType::from_text(text).filter(|_| self.failed)
    }

    /// Converts a failure to the given form; a success stays as it is.
    pub fn with_errors(mut self, form: ErrorForm) -> Self {
        if let (true, Some(Value::Object(object))) = (self.failed, &mut self.structured) {
            let old_text = Value::Object(object.clone()).to_string();
            match form {
                ErrorForm::Envelope if object.contains_key("error_message") => {
                    *object = to_envelope(std::mem::take(object))
                }
                ErrorForm::Standard if object.contains_key("success") => {
                    *object = to_standard(std::mem::take(object))
                }
                _ => return self,
            }
            // Where the text was a copy of the structured data, keep it one.
            let new_text = Value::Object(object.clone()).to_string();
            self.content
                .iter_mut()
                .filter(|content| **content == Content::Text(old_text.clone()))
                .for_each(|content| {
                    *content = Content::Text(new_text.clone());
                });
        }
        self
    }
}

/// The form of a failure in structured data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorForm {
    /// The standard error object: `status`, `error_type`, `error_message`, `error_details`.
    #[default]
    Standard,
    /// The envelope of native tools: `success`, `error`, `error_type` and optional fields.
    Envelope,
}

/// Converts a standard error object to an envelope. Other fields, such as the output of the
/// program, stay.
fn to_envelope(mut object: Map<String, Value>) -> Map<String, Value> {
    let mut envelope = Map::from_iter([("success".to_owned(), Value::Bool(false))]);
    // `shift_remove` keeps the order of the other keys, which is visible in the text.
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

/// Converts an envelope to a standard error object; fields beyond the error become details.
fn to_standard(mut envelope: Map<String, Value>) -> Map<String, Value> {
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

/// A content block.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text for the model.
    Text(String),
    /// An image.
    Image {
        /// The raw bytes; encoded only on the wire.
        data: Vec<u8>,
        /// The media type.
        mime_type: String,
    },
    /// Audio.
    Audio {
        /// The raw bytes; encoded only on the wire.
        data: Vec<u8>,
        /// The media type.
        mime_type: String,
    },
    /// An embedded resource.
    Resource {
        /// The URI of the embedded resource.
        uri: String,
        /// The media type.
        mime_type: String,
        /// The content of the resource.
        text: String,
    },
    /// A link to a resource that the client can read.
    Link {
        /// The URI of the linked resource.
        uri: String,
        /// The display name.
        name: String,
        /// The media type.
        mime_type: String,
    },
}

/// A rejected or failed call: the standard error object.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The type of the failure, for programs.
    pub error_type: ErrorType,
    /// What happened and how to correct it, for the model.
    pub message: String,
    /// Further details; null if there are none.
    pub details: Value,
}

impl Failure {
    /// A failure without details.
    pub fn new(error_type: ErrorType, message: impl Into<String>) -> Self {
        Self { error_type, message: message.into(), details: Value::Null }
    }

    /// Sets the details.
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

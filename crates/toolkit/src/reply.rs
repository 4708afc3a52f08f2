//! The result of a typed tool: a value or a failure, in a JSON envelope.

use std::error::Error;

use catalog::{Content, ErrorForm, Outcome, Schema};
use schemars::JsonSchema;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Value, json};

use crate::{Interrupt, argument_schema};

/// The result of a typed tool. Its JSON form has `success` first, then `value`, or `error` and
/// `error_type`; absent fields are omitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply<T = ()> {
    body: Result<T, ReplyError>,
    message: Option<String>,
    instruction: Option<String>,
    content: Option<Vec<Content>>,
}

/// A failure.
#[derive(Clone, Debug, PartialEq)]
struct ReplyError {
    error: String,
    error_type: &'static str,
    data: Value,
    exception: Option<(String, String)>,
}

impl<T> Reply<T> {
    /// A success with this value.
    pub fn ok(value: T) -> Self {
        Self::new(Ok(value))
    }

    /// A failure: a message, and an error type that programs can match.
    pub fn failure(error: impl Into<String>, error_type: impl Into<&'static str>) -> Self {
        Self::new(Err(ReplyError {
            error: error.into(),
            error_type: error_type.into(),
            data: Value::Null,
            exception: None,
        }))
    }

    fn new(body: Result<T, ReplyError>) -> Self {
        Self { body, message: None, instruction: None, content: None }
    }

    /// Adds a message for the user.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Adds an instruction for the agent: what to do next, or what to avoid.
    pub fn instruction(mut self, instruction: impl Into<String>) -> Self {
        self.instruction = Some(instruction.into());
        self
    }

    /// Adds the error that caused a failure. Has no effect on a success.
    pub fn exception<E: Error>(mut self, exception: &E) -> Self {
        if let Err(error) = &mut self.body {
            error.exception = Some((type_name::<E>(), exception.to_string()));
        }
        self
    }

    /// Adds structured details of a failure. Has no effect on a success.
    pub fn data(mut self, data: Value) -> Self {
        if let Err(error) = &mut self.body {
            error.data = data;
        }
        self
    }

    /// Sets the content for the model, such as images, resources or plain text. The default is the
    /// JSON form as text.
    pub fn content(mut self, content: Vec<Content>) -> Self {
        self.content = Some(content);
        self
    }

    /// Whether it is a success.
    pub fn is_ok(&self) -> bool {
        self.body.is_ok()
    }

    /// The value of a success.
    pub fn value(&self) -> Option<&T> {
        self.body.as_ref().ok()
    }

    /// The message and the error type of a failure.
    pub fn error(&self) -> Option<(&str, &'static str)> {
        self.body.as_ref().err().map(|failure| (failure.error.as_str(), failure.error_type))
    }
}

impl<T: Serialize> Reply<T> {
    /// The JSON form as text. A value that JSON cannot represent becomes a failure.
    pub fn to_json_str(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|error| unserializable(&error).to_json_str())
    }
}

/// The name of a type without its path and type arguments.
fn type_name<E>() -> String {
    let name = std::any::type_name::<E>();
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name).to_owned()
}

fn unserializable(error: &serde_json::Error) -> Reply {
    Reply::failure("the tool's value cannot be written as JSON", "internal_error").exception(error)
}

impl<T: Serialize> Serialize for Reply<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("success", &self.is_ok())?;
        match &self.body {
            Ok(value) => {
                // Serialized first, because only then it is known whether it is null.
                let value = serde_json::to_value(value).map_err(serde::ser::Error::custom)?;
                if !value.is_null() {
                    map.serialize_entry("value", &value)?;
                }
            }
            Err(failure) => {
                map.serialize_entry("error", &failure.error)?;
                map.serialize_entry("error_type", failure.error_type)?;
                if !failure.data.is_null() {
                    map.serialize_entry("error_data", &failure.data)?;
                }
                if let Some((kind, message)) = &failure.exception {
                    map.serialize_entry("exception_type", kind)?;
                    map.serialize_entry("exception_message", message)?;
                }
            }
        }
        let notes = [("message", &self.message), ("instruction", &self.instruction)];
        for (name, note) in
            notes.into_iter().filter_map(|(name, note)| Some((name, note.as_ref()?)))
        {
            map.serialize_entry(name, note)?;
        }
        map.end()
    }
}

/// A type that native functions can return.
pub trait Return: Send + 'static {
    /// The form of its structured errors.
    const ERRORS: ErrorForm;

    /// The schema of its structured result, if it has one.
    fn output_schema() -> Option<Schema>;

    /// Converts it to the outcome of a call.
    fn into_outcome(self) -> Result<Outcome, Interrupt>;
}

impl<T: Serialize + JsonSchema + Send + 'static> Return for Reply<T> {
    const ERRORS: ErrorForm = ErrorForm::Envelope;

    fn output_schema() -> Option<Schema> {
        Some(envelope_schema::<T>())
    }

    fn into_outcome(mut self) -> Result<Outcome, Interrupt> {
        let failed = !self.is_ok();
        let structured = match serde_json::to_value(&self) {
            Ok(structured) => structured,
            // Recurses once: a reply without a value always serializes.
            Err(error) => return unserializable(&error).into_outcome(),
        };
        let content = match self.content.take() {
            // Some clients show the model only the text.
            Some(mut content) => {
                let notes = [self.message.take(), self.instruction.take()];
                content.extend(notes.into_iter().flatten().map(Content::Text));
                content
            }
            None => vec![Content::Text(structured.to_string())],
        };
        Ok(Outcome { content, structured: Some(structured), failed })
    }
}

/// Plain content, without an envelope.
impl Return for Outcome {
    const ERRORS: ErrorForm = ErrorForm::Standard;

    fn output_schema() -> Option<Schema> {
        None
    }

    fn into_outcome(self) -> Result<Outcome, Interrupt> {
        Ok(self)
    }
}

impl<R: Return> Return for Result<R, Interrupt> {
    const ERRORS: ErrorForm = R::ERRORS;

    fn output_schema() -> Option<Schema> {
        R::output_schema()
    }

    fn into_outcome(self) -> Result<Outcome, Interrupt> {
        self.and_then(R::into_outcome)
    }
}

/// The schema of an envelope around a `T`. It describes failures too, because clients validate the
/// structured content of errors against the output schema.
fn envelope_schema<T: JsonSchema>() -> Schema {
    let (value, definitions) = argument_schema::result_schema::<T>();
    let text = json!({"type": "string"});
    let envelope = json!({
        "type": "object",
        "properties": {
            "success": {"type": "boolean"},
            "value": value,
            "error": text,
            "error_type": text,
            // `{}` and not `true`: TypeScript SDK 1.x rejects the whole list for a boolean there.
            "error_data": {},
            "exception_type": text,
            "exception_message": text,
            "message": text,
            "instruction": text,
        },
        "required": ["success"],
        "anyOf": [
            {"properties": {"success": {"const": true}}},
            {"properties": {"success": {"const": false}}, "required": ["error", "error_type"]},
        ],
    });
    let Value::Object(mut envelope) = envelope else { unreachable!("written as an object above") };
    if !definitions.is_empty() {
        envelope.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Schema::new(envelope)
}

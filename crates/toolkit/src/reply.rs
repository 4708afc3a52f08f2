//! What a typed tool answers: a value or a failure, in the envelope that programs read.

use std::error::Error;

use catalog::{Content, ErrorForm, Outcome, Schema};
use schemars::JsonSchema;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Value, json};

use crate::{Interrupt, argument};

/// What a typed tool answers. Its JSON form has `success` first, then `value`, or `error` and
/// `error_type`; what is absent is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply<T = ()> {
    body: Result<T, ReplyError>,
    message: Option<String>,
    instruction: Option<String>,
    content: Option<Vec<Content>>,
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq)]
struct ReplyError {
    error: String,
    error_type: &'static str,
    data: Value,
    exception: Option<(String, String)>,
}

impl<T> Reply<T> {
    /// It went well.
    pub fn ok(value: T) -> Self {
        Self::new(Ok(value))
    }

    /// It failed: what happened, and the kind of it for programs.
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

    /// Adds guidance for the agent: what to do next, or what to leave alone.
    pub fn instruction(mut self, instruction: impl Into<String>) -> Self {
        self.instruction = Some(instruction.into());
        self
    }

    /// Adds the error behind a failure. A success has none.
    pub fn exception<E: Error>(mut self, exception: &E) -> Self {
        if let Err(fault) = &mut self.body {
            fault.exception = Some((type_name::<E>(), exception.to_string()));
        }
        self
    }

    /// Adds what else is known of a failure. A success has its value.
    pub fn data(mut self, data: Value) -> Self {
        if let Err(fault) = &mut self.body {
            fault.data = data;
        }
        self
    }

    /// Says what a model reads, where that is not the JSON form: pictures, resources, plain text.
    pub fn content(mut self, content: Vec<Content>) -> Self {
        self.content = Some(content);
        self
    }

    /// Whether it went well.
    pub fn is_ok(&self) -> bool {
        self.body.is_ok()
    }

    /// The value, if it went well.
    pub fn value(&self) -> Option<&T> {
        self.body.as_ref().ok()
    }

    /// What happened and the kind of it, if it failed.
    pub fn error(&self) -> Option<(&str, &'static str)> {
        self.body.as_ref().err().map(|fault| (fault.error.as_str(), fault.error_type))
    }
}

impl<T: Serialize> Reply<T> {
    /// The JSON form as text.
    pub fn to_json_str(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|error| unwritable(&error).to_json_str())
    }
}

/// The last part of a type's name.
fn type_name<E>() -> String {
    let name = std::any::type_name::<E>();
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name).to_owned()
}

fn unwritable(error: &serde_json::Error) -> Reply {
    Reply::failure("the tool's value cannot be written as JSON", "internal_error").exception(error)
}

impl<T: Serialize> Serialize for Reply<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("success", &self.is_ok())?;
        match &self.body {
            Ok(value) => {
                let value = serde_json::to_value(value).map_err(serde::ser::Error::custom)?;
                if !value.is_null() {
                    map.serialize_entry("value", &value)?;
                }
            }
            Err(fault) => {
                map.serialize_entry("error", &fault.error)?;
                map.serialize_entry("error_type", fault.error_type)?;
                if !fault.data.is_null() {
                    map.serialize_entry("error_data", &fault.data)?;
                }
                if let Some((kind, message)) = &fault.exception {
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

/// What a native function may return.
pub trait Return: Send + 'static {
    /// How its failures are written down for programs.
    const ERRORS: ErrorForm;

    /// What its structured result is, where it has one.
    fn output_schema() -> Option<Schema>;

    /// As the outcome of a call.
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
            Err(error) => return unwritable(&error).into_outcome(),
        };
        let content =
            self.content.take().unwrap_or_else(|| vec![Content::Text(structured.to_string())]);
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

/// The schema of an envelope around a `T`: of both its arms, because clients check failures too.
fn envelope_schema<T: JsonSchema>() -> Schema {
    let (value, definitions) = argument::result_schema::<T>();
    let text = json!({"type": "string"});
    let envelope = json!({
        "type": "object",
        "properties": {
            "success": {"type": "boolean"},
            "value": value,
            "error": text,
            "error_type": text,
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

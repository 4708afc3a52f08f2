//! Refusals that name the argument they are about, and the document every failure carries.

use catalog::{Failure, Outcome, Tool, arguments::Fault};
use serde_json::{Value, json};

/// A refusal of one argument.
pub(crate) fn argument(parameter: &str, message: impl Into<String>, expected: &str, received: impl Into<Value>) -> Failure {
    about(parameter, "invalid_arguments", message, expected, received)
}

/// A refusal of one argument, of a kind of its own.
pub(crate) fn about(
    parameter: &str,
    error_type: &'static str,
    message: impl Into<String>,
    expected: &str,
    received: impl Into<Value>,
) -> Failure {
    let message = message.into();
    let path = format!("/{}", parameter.replace('~', "~0").replace('/', "~1"));
    let fault = Fault { path, message: message.clone(), expected: expected.to_owned(), received: received.into() };
    Failure::new(error_type, message).details(json!({"details": [fault]}))
}

/// The failure with the document about it: what happened, to which tool, and the details.
pub(crate) fn completed(tool: &Tool, failure: Failure) -> Failure {
    if failure.details.get("error").is_some() {
        return failure;
    }
    let mut document = json!({"error": failure.message, "tool": tool.name, "details": []});
    if let (Value::Object(document), Value::Object(known)) = (&mut document, &failure.details) {
        document.extend(known.clone());
    }
    failure.details(document)
}

/// The outcome of a call that came to nothing.
pub(crate) fn outcome(tool: &Tool, failure: Failure) -> Outcome {
    completed(tool, failure).into()
}

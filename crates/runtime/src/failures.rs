//! Refusals that name the argument they are about, and the document every failure carries.

use catalog::{ErrorType, Failure, Outcome, Tool, arguments::ArgumentError, pointer};
use serde_json::{Value, json};

/// A refusal of one argument.
pub(crate) fn argument(
    parameter: &str,
    message: impl Into<String>,
    expected: &str,
    received: impl Into<Value>,
) -> Failure {
    about(parameter, ErrorType::InvalidArguments, message, expected, received)
}

/// A refusal of one argument, of a kind of its own.
pub(crate) fn about(
    parameter: &str,
    error_type: ErrorType,
    message: impl Into<String>,
    expected: &str,
    received: impl Into<Value>,
) -> Failure {
    let message = message.into();
    let path = pointer::child("", parameter);
    let fault = ArgumentError {
        path,
        message: message.clone(),
        expected: expected.to_owned(),
        received: received.into(),
    };
    Failure::new(error_type, message).details(json!({"details": [fault]}))
}

/// Several refusals of one call as one, so that all can be mended at once. None if there are none.
pub(crate) fn together(mut refusals: Vec<Failure>) -> Option<Failure> {
    if refusals.len() < 2 {
        return refusals.pop();
    }
    let first = refusals.first()?.error_type;
    let error_type = if refusals.iter().all(|refusal| refusal.error_type == first) {
        first
    } else {
        ErrorType::InvalidArguments
    };
    let message = refusals
        .iter()
        .map(|refusal| format!("- {}", refusal.message))
        .collect::<Vec<_>>()
        .join("\n");
    let faults =
        refusals.iter().filter_map(|refusal| refusal.details["details"].as_array()).flatten();
    let faults: Vec<_> = faults.cloned().collect();
    Some(
        Failure::new(error_type, format!("Invalid arguments:\n{message}"))
            .details(json!({"details": faults})),
    )
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

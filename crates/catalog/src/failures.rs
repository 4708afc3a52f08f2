//! Failures that name the argument they are about, and the document every failure carries.

use std::path::Path;

use serde_json::{Value, json};

use crate::{
    ErrorType, Failure, Outcome, Tool,
    arguments::{ArgumentError, MAX_REPORTED},
    pointer,
};

/// The member of details with the number of errors that are not reported.
const OMITTED: &str = "omitted_errors";

/// An argument that the tool does not accept.
pub fn argument_failure(
    parameter: &str,
    message: impl Into<String>,
    expected: &str,
    received: impl Into<Value>,
) -> Failure {
    failure_at_argument(parameter, ErrorType::InvalidArguments, message, expected, received)
}

/// An argument that is rejected for a reason with an error type of its own.
pub fn failure_at_argument(
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

/// The failures of one call. Keeps the first [`MAX_REPORTED`] and counts the others: a call may have as many
/// as it has values.
#[derive(Debug, Default)]
pub struct FailureList {
    first: Vec<Failure>,
    omitted: u64,
}

impl FailureList {
    /// Adds one failure.
    pub fn push(&mut self, failure: Failure) {
        if self.first.len() < MAX_REPORTED {
            self.first.push(failure);
        } else {
            // It may itself be a count.
            self.omitted += failure.details[OMITTED].as_u64().unwrap_or(1);
        }
    }

    /// Whether there are no failures.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The kept failures, and one that counts the others.
    pub fn into_vec(mut self) -> Vec<Failure> {
        if let Some(first) = self.first.first().filter(|_| self.omitted > 0) {
            let errors = if self.omitted == 1 { "error" } else { "errors" };
            let message = format!("and {} more {errors}", self.omitted);
            let rest = Failure::new(first.error_type, message);
            self.first.push(rest.details(json!({OMITTED: self.omitted})));
        }
        self.first
    }
}

impl Extend<Failure> for FailureList {
    fn extend<T: IntoIterator<Item = Failure>>(&mut self, failures: T) {
        failures.into_iter().for_each(|failure| self.push(failure));
    }
}

/// Several failures of one call as one, so that a caller can correct all of them at once. `None` if
/// there are none.
pub fn combine(failures: impl IntoIterator<Item = Failure>) -> Option<Failure> {
    let mut list = FailureList::default();
    list.extend(failures);
    let mut failures = list.into_vec();
    if failures.len() < 2 {
        return failures.pop();
    }
    let first = failures.first()?.error_type;
    let error_type = if failures.iter().all(|failure| failure.error_type == first) {
        first
    } else {
        ErrorType::InvalidArguments
    };
    let message = failures
        .iter()
        .map(|failure| format!("- {}", failure.message))
        .collect::<Vec<_>>()
        .join("\n");
    let faults =
        failures.iter().filter_map(|failure| failure.details["details"].as_array()).flatten();
    let faults: Vec<_> = faults.cloned().collect();
    let omitted: u64 =
        failures.iter().filter_map(|failure| failure.details[OMITTED].as_u64()).sum();
    let mut details = json!({"details": faults});
    if omitted > 0 {
        details[OMITTED] = omitted.into();
    }
    Some(Failure::new(error_type, format!("Invalid arguments:\n{message}")).details(details))
}

/// Adds failures about other arguments to a failure about arguments, so that a caller can correct
/// all of them at once. An argument that `failure` mentions already is not mentioned again.
pub fn extend(mut failure: Failure, others: Vec<Failure>) -> Failure {
    if failure.error_type != ErrorType::InvalidArguments || others.is_empty() {
        return failure;
    }
    // `/files/0` and `/files` are about the same argument.
    let argument = |fault: &Value| {
        let path = fault["path"].as_str().unwrap_or_default();
        path.split('/').nth(1).unwrap_or_default().to_owned()
    };
    let faults = |failure: &Failure| failure.details["details"].as_array().cloned();
    let mut known = faults(&failure).unwrap_or_default();
    for other in others {
        let new = faults(&other).unwrap_or_default();
        if new.iter().any(|new| known.iter().any(|known| argument(known) == argument(new))) {
            continue;
        }
        failure.message.push_str(&format!("\n- {}", other.message));
        known.extend(new);
    }
    failure.details["details"] = known.into();
    failure
}

/// Adds the document about a failure: what happened, to which tool, and the details.
pub fn complete(tool: &Tool, mut failure: Failure) -> Failure {
    // Completed by an inner call, which names the tool that has failed.
    if failure.details.get("error").is_some() {
        return failure;
    }
    shorten_arguments(&mut failure);
    let mut document = json!({"error": failure.message, "tool": tool.name, "details": []});
    if let (Value::Object(document), Value::Object(known)) = (&mut document, &failure.details) {
        document.extend(known.clone());
    }
    failure.details(document)
}

/// Maximum length in characters of a line about an argument, since it repeats the value.
const MAX_LINE: usize = 600;

/// Shortens lines about arguments: the caller has the values, and clients truncate long errors.
fn shorten_arguments(failure: &mut Failure) {
    let Some(Value::Array(faults)) = failure.details.get_mut("details") else { return };
    for field in ["message", "received"] {
        for text in faults.iter_mut().filter_map(|fault| fault.get_mut(field)) {
            if let Value::String(text) = text {
                *text = shorten(text);
            }
        }
    }
    if !faults.is_empty() {
        failure.message = failure.message.lines().map(shorten).collect::<Vec<_>>().join("\n");
    }
}

/// Replaces the middle of a long line with an ellipsis.
fn shorten(line: &str) -> String {
    let length = line.chars().count();
    if length <= MAX_LINE {
        return line.to_owned();
    }
    let first: String = line.chars().take(MAX_LINE / 2).collect();
    let last: String = line.chars().skip(length - MAX_LINE / 2).collect();
    format!("{first}…{last}")
}

/// The outcome of a call that failed.
pub fn to_outcome(tool: &Tool, failure: Failure) -> Outcome {
    complete(tool, failure).into()
}

/// The message with the tool's installation instructions, if it has any.
pub fn with_instructions(tool: &Tool, message: String) -> String {
    match &tool.description.install {
        Some(install) => format!("{message}; to install it: {install}"),
        None => message,
    }
}

/// The text of a path. Paths are passed to programs and reported as text, so other paths are
/// rejected.
pub fn utf8_path(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::new(
            ErrorType::PathNotText,
            format!("the path `{}` is not UTF-8; rename it", path.display()),
        )
    })
}

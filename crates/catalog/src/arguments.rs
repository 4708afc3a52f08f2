//! Validates arguments against a schema, with errors worded so that a model can correct its call.

mod describe;

use std::fmt::Write;

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::describe::{describe, truncate};
use crate::{ErrorDetail, ErrorType, Failure, REDACTED, Schema, SchemaError, Tool, pointer};

/// Prefix of every message about a missing argument; [`first_message`] recognizes them by it.
const MISSING: &str = "Missing required parameter";

/// Maximum number of errors that are reported for one call.
pub const MAX_REPORTED: usize = 50;

/// Maximum length of a message in characters. An enum or the alternatives of a schema can be long.
const MAX_MESSAGE: usize = 2_000;

/// One error in the arguments of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentError {
    /// JSON pointer (RFC 6901) to the argument.
    pub path: String,
    /// The problem, as shown to a model.
    pub message: String,
    /// The expected type or constraint.
    pub expected: String,
    /// The received value, shortened and with secrets redacted.
    pub received: Value,
}

/// The errors in the arguments of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArgumentErrors {
    /// The first errors, at most [`MAX_REPORTED`], in a stable order.
    pub reported: Vec<ArgumentError>,
    /// Number of further errors, as far as they were counted.
    pub omitted: usize,
    /// Whether all were counted.
    pub is_counted: bool,
}

/// Returns the first errors in `arguments`, in a stable order; empty if they are valid.
pub fn validate(schema: &Schema, arguments: &Value) -> Result<Vec<ArgumentError>, SchemaError> {
    find_errors(schema, arguments).map(|errors| errors.reported)
}

/// Returns and counts the errors in `arguments`. Bounded in memory; bounded in time by the
/// [`crate::budget`] of this thread.
pub fn find_errors(schema: &Schema, arguments: &Value) -> Result<ArgumentErrors, SchemaError> {
    let validator = schema.validator().map_err(Clone::clone)?;
    // Fast path: most calls are valid, and collecting errors is slower than a yes or no.
    if validator.is_valid(arguments) {
        return Ok(ArgumentErrors { is_counted: true, ..ArgumentErrors::default() });
    }
    let Ok(found) = validator.find_errors(arguments) else {
        return Ok(unexplained());
    };
    let mut errors = Vec::new();
    for error in &found.errors {
        // One more than the reported maximum is collected, to detect whether some are left out.
        if errors.len() > MAX_REPORTED {
            break;
        }
        describe(schema, arguments, error, &mut errors);
    }
    errors.dedup();
    let mut omitted = 0;
    if errors.len() > MAX_REPORTED {
        errors.truncate(MAX_REPORTED);
        omitted = found.errors.iter().map(count_errors).sum::<usize>() - MAX_REPORTED;
    }
    for error in &mut errors {
        redact_error(schema, error);
        error.path = truncate(&error.path, MAX_MESSAGE);
    }
    Ok(ArgumentErrors { reported: errors, omitted, is_counted: found.is_complete })
}

/// The error for arguments that match none of very many alternatives.
fn unexplained() -> ArgumentErrors {
    let error = ArgumentError {
        path: String::new(),
        message: "The arguments do not match the schema, for more reasons than can be listed"
            .to_owned(),
        expected: "arguments that match the schema".to_owned(),
        received: Value::Null,
    };
    ArgumentErrors { reported: vec![error], omitted: 0, is_counted: false }
}

/// Number of errors that [`describe`] makes of one.
fn count_errors(error: &ValidationError<'_>) -> usize {
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => unexpected.len(),
        _ => 1,
    }
}

/// Redacts secret values: an error is part of a result, and results are stored.
fn redact_error(schema: &Schema, error: &mut ArgumentError) {
    match error.path.split('/').nth(1) {
        Some(argument)
            if schema.is_secret(&pointer::unescape(argument)) && !error.received.is_null() =>
        {
            error.received = REDACTED.into()
        }
        Some(_) => {}
        None => {
            let arguments = error.received.as_object_mut().into_iter().flatten();
            arguments
                .filter(|(name, _)| schema.is_secret(name))
                .for_each(|(_, value)| *value = REDACTED.into());
        }
    }
}

/// Builds the failure of a call with invalid arguments, with as much detail as the tool asks for.
pub fn build_failure(tool: &Tool, errors: &ArgumentErrors) -> Failure {
    let reported = &errors.reported;
    let message = match tool.argument_errors {
        ErrorDetail::All => list_errors(&tool.name, errors),
        ErrorDetail::First => {
            first_message(reported).unwrap_or_else(|| "Invalid params".to_owned())
        }
    };
    let mut document = error_document(&tool.name, reported);
    if errors.omitted > 0 {
        document["omitted_errors"] = errors.omitted.into();
    }
    Failure::new(ErrorType::InvalidArguments, message).details(document)
}

/// The message of the most important error: a missing argument if there is one, else the first.
pub fn first_message(errors: &[ArgumentError]) -> Option<String> {
    let is_missing = |error: &&ArgumentError| error.message.starts_with(MISSING);
    let missing = errors.iter().find(is_missing);
    let error = missing.or(errors.first())?;
    let name = error.path.trim_start_matches('/');
    Some(match (missing, name) {
        (Some(_), name) => format!("Invalid params: {name} is required"),
        (None, "") => format!("Invalid params: {}", error.message),
        (None, name) => format!("Invalid params: {name}: {}", error.message),
    })
}

fn list_errors(tool: &str, errors: &ArgumentErrors) -> String {
    let mut message = format!("Invalid arguments for `{tool}`:");
    for error in &errors.reported {
        message.push_str("\n- ");
        if !error.path.is_empty() {
            message.push_str(&error.path[1..]);
            message.push_str(": ");
        }
        message.push_str(&error.message);
    }
    if errors.omitted > 0 {
        let at_least = if errors.is_counted { "" } else { "at least " };
        let _ = write!(message, "\n- and {at_least}{} more errors", errors.omitted);
    }
    message
}

/// The structured details of arguments or definitions that do not match their schema.
pub fn error_document(tool: &str, errors: &[ArgumentError]) -> Value {
    json!({"error": "Schema validation failed", "tool": tool, "details": errors})
}

/// Fills in the defaults of absent properties.
pub fn apply_defaults(schema: &Schema, arguments: &mut Map<String, Value>) {
    for (name, property) in schema.properties() {
        if let Some(default) = property.get("default")
            // A default of null adds nothing: the parameter is just omitted.
            && !default.is_null()
            && !arguments.contains_key(name)
        {
            arguments.insert(name.to_owned(), default.clone());
        }
    }
}

/// Replaces secret values by [`REDACTED`], so that the arguments can be logged and stored.
pub fn redact(tool: &Tool, arguments: &Map<String, Value>) -> Map<String, Value> {
    let shown = |name: &str, value: &Value| {
        if tool.is_secret(name) { Value::from(REDACTED) } else { value.clone() }
    };
    arguments.iter().map(|(name, value)| (name.clone(), shown(name, value))).collect()
}

/// The name of a value's JSON type, as messages spell it.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{apply_defaults, validate};
    use crate::Schema;

    fn schema(value: Value) -> Schema {
        Schema::new(value.as_object().expect("an object").clone())
    }

    fn messages(of: Value, arguments: Value) -> Vec<String> {
        let errors = validate(&schema(of), &arguments).expect("a schema that compiles");
        errors.into_iter().map(|error| format!("{} {}", error.path, error.message)).collect()
    }

    #[test]
    fn reports_all_errors_at_once_in_the_documented_wording() {
        let of = json!({
            "type": "object",
            "properties": {
                "mode": {"type": "string", "enum": ["simple", "advanced"]},
                "count": {"type": "integer", "minimum": 1, "maximum": 9},
                "tags": {"type": "array", "minItems": 1, "maxItems": 10},
                "target": {"type": "string", "pattern": "^[a-z]+$"},
                "file": {"type": "string"},
            },
            "required": ["file"],
            "additionalProperties": false,
        });
        let found = messages(
            of,
            json!({"mode": "odd", "count": 12, "tags": [], "target": "A1", "taget": 1}),
        );
        insta::assert_snapshot!(found.join("\n"), @r"
        /mode Value must be one of: simple, advanced
        /count Value must be between 1 and 9
        /tags Array must have between 1 and 10 items
        /target Value must match the pattern ^[a-z]+$
        /taget Unknown parameter 'taget'; did you mean 'target'?
        /file Missing required parameter 'file'
        ");
    }

    #[test]
    fn reports_the_expected_and_the_received_type() {
        let of = json!({"type": "object", "properties": {"n": {"type": "integer"}, "u": {"type": ["string", "null"]}}});
        insta::assert_snapshot!(messages(of, json!({"n": "x", "u": 1.5})).join("\n"), @r"
        /n Expected integer, received string
        /u Expected null or string, received number
        ");
    }

    #[test]
    fn follows_conditions_and_references() {
        let of = json!({
            "type": "object",
            "properties": {"mode": {"type": "string"}, "extra": {"$ref": "#/$defs/e"}},
            "if": {"properties": {"mode": {"const": "advanced"}}},
            "then": {"required": ["extra"]},
            "$defs": {"e": {"type": "array", "maxItems": 1}},
        });
        assert_eq!(
            messages(of.clone(), json!({"mode": "advanced"})),
            ["/extra Missing required parameter 'extra'"]
        );
        assert_eq!(
            messages(of, json!({"mode": "simple", "extra": [1, 2]})),
            ["/extra Array must have at most 1 item"]
        );
    }

    #[test]
    fn refuses_a_remote_reference_instead_of_fetching_it() {
        let of = schema(
            json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json"}}}),
        );
        assert!(validate(&of, &json!({})).is_err());
    }

    #[test]
    fn fills_in_defaults() {
        let of = schema(
            json!({"type": "object", "properties": {"a": {"default": 3}, "b": {"default": 4}, "c": {}}}),
        );
        let mut arguments = json!({"b": 5}).as_object().expect("an object").clone();
        apply_defaults(&of, &mut arguments);
        assert_eq!(Value::Object(arguments), json!({"b": 5, "a": 3}));
    }
}

//! Words for the errors of the validator.

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind},
};
use serde_json::Value;

use super::{ArgumentError, MAX_MESSAGE, MAX_REPORTED, MISSING, type_name};
use crate::{Schema, closest, pointer, schema::is_smaller};

/// Maximum length of an unknown name, in bytes, that is compared with known ones.
const MAX_COMPARED: usize = 100;

/// The size of a received value, in bytes, that is repeated in an error.
const MAX_RECEIVED: usize = 1_000;

/// Describes an error of the validator; an error about alternatives becomes one, an error about
/// unknown parameters one for each.
pub(super) fn describe(
    schema: &Schema,
    arguments: &Value,
    error: &ValidationError<'_>,
    errors: &mut Vec<ArgumentError>,
) {
    let known = errors.len();
    add_errors(schema, arguments, error, errors);
    // Right away: each of many errors may quote an enum of a megabyte.
    for error in &mut errors[known..] {
        error.message = truncate(&error.message, MAX_MESSAGE);
        error.expected = truncate(&error.expected, MAX_MESSAGE);
    }
}

fn add_errors(
    schema: &Schema,
    arguments: &Value,
    error: &ValidationError<'_>,
    errors: &mut Vec<ArgumentError>,
) {
    let path = error.instance_path().to_string();
    // The error itself has a placeholder instead of a large value.
    let instance = arguments.pointer(&path).unwrap_or(error.instance());
    let siblings = SiblingKeywords::new(schema, error);
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            errors.push(ArgumentError {
                path: pointer::child(&path, name),
                message: format!("{MISSING} '{name}'"),
                expected: declared_type(schema, &path, name),
                received: Value::Null,
            });
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            // One more than is reported, so that the others are known to be omitted.
            let room = (MAX_REPORTED + 1).saturating_sub(errors.len());
            errors.extend(
                unexpected
                    .iter()
                    .take(room)
                    .map(|name| unknown_parameter_error(schema, &path, name, instance)),
            );
        }
        ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                TypeKind::Single(kind) => kind.to_string(),
                TypeKind::Multiple(kinds) => {
                    kinds.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or ")
                }
            };
            let message = format!("Expected {expected}, received {}", type_name(instance));
            errors.push(ArgumentError { path, message, expected, received: shorten(instance) });
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            errors.push(no_alternative(schema, arguments, path, context, instance));
        }
        kind => {
            let (message, expected) = describe_constraint(kind, &siblings)
                .unwrap_or_else(|| (error.masked().to_string(), kind.keyword().to_owned()));
            errors.push(ArgumentError { path, message, expected, received: shorten(instance) });
        }
    }
}

/// The message and the expectation for a value of the right type that violates a constraint.
fn describe_constraint(
    kind: &ValidationErrorKind,
    siblings: &SiblingKeywords<'_>,
) -> Option<(String, String)> {
    let pair = |message: String, expected: &str| Some((message, expected.to_owned()));
    match kind {
        ValidationErrorKind::Enum { options } => {
            let list = options
                .as_array()
                .map(|options| options.iter().map(display_value).collect::<Vec<_>>().join(", "))
                .unwrap_or_default();
            pair(format!("Value must be one of: {list}"), &format!("one of: {list}"))
        }
        ValidationErrorKind::Constant { expected_value } => pair(
            format!("Value must be {}", display_value(expected_value)),
            &display_value(expected_value),
        ),
        ValidationErrorKind::MinItems { .. } | ValidationErrorKind::MaxItems { .. } => {
            let range = siblings.range("minItems", "maxItems", "item");
            pair(format!("Array must have {range}"), &range)
        }
        ValidationErrorKind::MinLength { .. } | ValidationErrorKind::MaxLength { .. } => {
            let range = siblings.range("minLength", "maxLength", "character");
            pair(format!("Text must have {range}"), &range)
        }
        ValidationErrorKind::Minimum { .. } | ValidationErrorKind::Maximum { .. } => {
            let range = siblings.bounds();
            pair(format!("Value must be {range}"), &range)
        }
        ValidationErrorKind::ExclusiveMinimum { limit } => {
            pair(format!("Value must be more than {limit}"), &format!("more than {limit}"))
        }
        ValidationErrorKind::ExclusiveMaximum { limit } => {
            pair(format!("Value must be less than {limit}"), &format!("less than {limit}"))
        }
        ValidationErrorKind::Pattern { pattern } => {
            pair(format!("Value must match the pattern {pattern}"), &format!("pattern {pattern}"))
        }
        ValidationErrorKind::MultipleOf { multiple_of } => pair(
            format!("Value must be a multiple of {multiple_of}"),
            &format!("multiple of {multiple_of}"),
        ),
        ValidationErrorKind::UniqueItems => {
            pair("Array items must be unique".to_owned(), "unique items")
        }
        ValidationErrorKind::FalseSchema => {
            pair("This parameter is not allowed here".to_owned(), "nothing")
        }
        _ => None,
    }
}

fn unknown_parameter_error(
    schema: &Schema,
    path: &str,
    name: &str,
    instance: &Value,
) -> ArgumentError {
    let known: Vec<&str> = if path.is_empty() {
        schema.properties().map(|(name, _)| name).collect()
    } else {
        Vec::new()
    };
    // Comparing takes time in proportion to the length of the name.
    let near = closest(&name[..name.floor_char_boundary(MAX_COMPARED)], known.iter().copied());
    let hint = match near {
        Some(near) => format!("; did you mean '{near}'?"),
        None if known.is_empty() => String::new(),
        None => format!("; known parameters: {}", known.join(", ")),
    };
    ArgumentError {
        path: pointer::child(path, name),
        message: format!("Unknown parameter '{name}'{hint}"),
        expected: "nothing".to_owned(),
        received: instance.get(name).map(shorten).unwrap_or_default(),
    }
}

fn no_alternative(
    schema: &Schema,
    arguments: &Value,
    path: String,
    context: &[Vec<ValidationError<'static>>],
    instance: &Value,
) -> ArgumentError {
    let mut reasons = Vec::new();
    for errors in context {
        let mut described = Vec::new();
        for error in errors {
            describe(schema, arguments, error, &mut described);
        }
        let messages: Vec<_> = described.into_iter().map(|error| error.message).collect();
        let reason = messages.join(" and ");
        if !reason.is_empty() && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let message = if reasons.is_empty() {
        "Value matches none of the alternatives".to_owned()
    } else {
        format!("Value matches none of the alternatives: {}", reasons.join("; or "))
    };
    ArgumentError {
        path,
        message,
        expected: "one of the alternatives".to_owned(),
        received: shorten(instance),
    }
}

/// The schema object that contains the failed keyword. A message about `minItems` also states
/// `maxItems`, so that a model does not fix one bound and then violate the other.
struct SiblingKeywords<'a>(Option<&'a Value>);

impl<'a> SiblingKeywords<'a> {
    fn new(schema: &'a Schema, error: &ValidationError<'_>) -> Self {
        let location = error.schema_path().to_string();
        let mut tokens = pointer::tokens(&location).collect::<Vec<_>>();
        tokens.pop();
        let mut at: Option<&Value> = None;
        for token in &tokens {
            at = match at {
                None => schema.object().get(token.as_ref()),
                Some(Value::Array(items)) => {
                    token.parse::<usize>().ok().and_then(|index| items.get(index))
                }
                Some(value) => value.get(token.as_ref()),
            };
            if at.is_none() {
                return Self(None);
            }
        }
        Self(at)
    }

    fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.0.and_then(|schema| schema.get(keyword))
    }

    fn range(&self, low: &str, high: &str, unit: &str) -> String {
        match (self.get(low), self.get(high)) {
            (Some(low), Some(high)) => format!("between {low} and {high} {unit}s"),
            (Some(low), None) if low == 1 => format!("at least 1 {unit}"),
            (Some(low), None) => format!("at least {low} {unit}s"),
            (None, Some(high)) if high == 1 => format!("at most 1 {unit}"),
            (None, Some(high)) => format!("at most {high} {unit}s"),
            (None, None) => format!("a different number of {unit}s"),
        }
    }

    fn bounds(&self) -> String {
        match (self.get("minimum"), self.get("maximum")) {
            (Some(low), Some(high)) => format!("between {low} and {high}"),
            (Some(low), None) => format!("at least {low}"),
            (None, Some(high)) => format!("at most {high}"),
            (None, None) => "within its bounds".to_owned(),
        }
    }
}

fn declared_type(schema: &Schema, path: &str, name: &str) -> String {
    let declared = path
        .is_empty()
        .then(|| schema.property(name))
        .flatten()
        .and_then(|property| property.get("type"));
    match declared {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            kinds.iter().map(display_value).collect::<Vec<_>>().join(" or ")
        }
        _ => "a value".to_owned(),
    }
}

fn display_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Shortens a value for an error, which long texts and collections would drown.
fn shorten(value: &Value) -> Value {
    const MAX_CHARS: usize = 200;
    match value {
        Value::String(text) => Value::String(truncate(text, MAX_CHARS)),
        Value::Array(items) if items.len() > 10 || !is_smaller(value, &mut { MAX_RECEIVED }) => {
            Value::String(format!("an array of {} items", items.len()))
        }
        Value::Object(members)
            if members.len() > 10 || !is_smaller(value, &mut { MAX_RECEIVED }) =>
        {
            Value::String(format!("an object of {} members", members.len()))
        }
        other => other.clone(),
    }
}

pub(super) fn truncate(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

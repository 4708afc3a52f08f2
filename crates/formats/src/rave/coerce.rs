//! Coerces defaults, choices and examples to the type of their parameter.
//!
//! Older generators quote every example (`'0.1'`) and write integers as doubles (`20.0`), and YAML
//! 1.1 reads an unquoted `yes` or `012` as a boolean or a number. Models copy such values, so they
//! are converted where only one meaning is possible.

use std::borrow::Cow;

use serde_json::Number;

use crate::json::{Node, Value};

/// The result of reading a value as one of a type.
pub(super) enum Coerced<'a> {
    /// The value has the type.
    Exact(Node<'a>),
    /// The value is spelled as one of another type and was converted.
    Converted(Node<'a>),
    /// The value has another type.
    Mismatch,
}

impl<'a> Coerced<'a> {
    fn keep_value(node: &Node<'a>, value: Value<'a>) -> Self {
        Self::Exact(Node { value, span: node.span })
    }

    fn convert_value(node: &Node<'a>, value: Value<'a>) -> Self {
        Self::Converted(Node { value, span: node.span })
    }
}

/// Reads `node` as a value of `schema`. `text` is the whole file, from which the original spelling
/// of scalars is taken.
pub(super) fn coerce<'a>(node: &Node<'a>, schema: &Node<'_>, text: &str) -> Coerced<'a> {
    let Some(types) = schema.get("type") else {
        return Coerced::Exact(node.clone());
    };
    let names = types.as_str().into_iter().chain(types.items().iter().filter_map(Node::as_str));
    let mut best = Coerced::Mismatch;
    // A type that needs no conversion wins over an earlier one that does: `'1'` stays a string for
    // `type: [integer, string]`.
    for name in names {
        // The schema is the one in the file, where R's names of types are not translated yet.
        match coerce_to(node, to_json_type(name), schema, text) {
            Coerced::Exact(node) => return Coerced::Exact(node),
            converted @ Coerced::Converted(_) if matches!(best, Coerced::Mismatch) => {
                best = converted
            }
            _ => {}
        }
    }
    best
}

/// Translates R's names of types to those of JSON Schema; other names are returned unchanged.
pub(super) fn to_json_type(name: &str) -> &str {
    match name {
        "character" => "string",
        "numeric" | "double" | "float" => "number",
        "int" => "integer",
        "logical" | "bool" => "boolean",
        "list" | "environment" => "object",
        "vector" => "array",
        _ => name,
    }
}

fn coerce_to<'a>(node: &Node<'a>, type_name: &str, schema: &Node<'_>, text: &str) -> Coerced<'a> {
    match (type_name, &node.value) {
        ("string", Value::String(_))
        | ("boolean", Value::Bool(_))
        | ("object", Value::Object(_))
        | ("null", Value::Null) => Coerced::Exact(node.clone()),
        ("number", Value::Number(number)) => {
            Coerced::keep_value(node, Value::Number(to_shortest(number)))
        }
        ("integer", Value::Number(number)) if is_whole(number) => {
            Coerced::keep_value(node, Value::Number(to_shortest(number)))
        }
        ("string", Value::Number(_) | Value::Bool(_)) => {
            Coerced::convert_value(node, Value::String(Cow::Owned(spelling(node, text))))
        }
        ("number" | "integer", Value::String(word)) => {
            match parse_number(word).filter(|number| type_name == "number" || is_whole(number)) {
                Some(number) => Coerced::convert_value(node, Value::Number(number)),
                None => Coerced::Mismatch,
            }
        }
        ("boolean", Value::String(word)) => parse_bool(word)
            .map_or(Coerced::Mismatch, |value| Coerced::convert_value(node, Value::Bool(value))),
        ("array", Value::Array(items)) => coerce_items(node, items, schema, text),
        _ => Coerced::Mismatch,
    }
}

fn coerce_items<'a>(
    node: &Node<'a>,
    items: &[Node<'a>],
    schema: &Node<'_>,
    text: &str,
) -> Coerced<'a> {
    let Some(item_schema) = schema.get("items") else {
        return Coerced::Exact(node.clone());
    };
    let (mut coerced, mut is_converted) = (Vec::with_capacity(items.len()), false);
    for item in items {
        match coerce(item, item_schema, text) {
            Coerced::Exact(item) => coerced.push(item),
            Coerced::Converted(item) => {
                coerced.push(item);
                is_converted = true;
            }
            Coerced::Mismatch => return Coerced::Mismatch,
        }
    }
    if is_converted {
        Coerced::convert_value(node, Value::Array(coerced))
    } else {
        Coerced::keep_value(node, Value::Array(coerced))
    }
}

/// Parses a boolean that was written as a string, in any spelling of R and YAML.
pub(super) fn parse_bool(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "t" | "y" | "1" => Some(true),
        "false" | "no" | "off" | "f" | "n" | "0" => Some(false),
        _ => None,
    }
}

/// Parses a number that was written as a string. R spells the integer 2 as `2L`.
fn parse_number(word: &str) -> Option<Number> {
    let word = word.trim().strip_suffix('L').unwrap_or(word.trim());
    serde_json::from_str::<Number>(word).ok().map(|number| to_shortest(&number))
}

/// Converts a whole double to an integer: R's YAML writer turns 20 into `20.0`. Doubles are exact
/// only up to 2^53, so larger ones are kept.
fn to_shortest(number: &Number) -> Number {
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < 9e15 => {
            Number::from(value as i64)
        }
        _ => number.clone(),
    }
}

fn is_whole(number: &Number) -> bool {
    !to_shortest(number).is_f64()
}

/// The scalar as spelled in the file: for a string parameter `yes` means "yes", not "true".
fn spelling(node: &Node<'_>, text: &str) -> String {
    text.get(node.span.range()).map_or_else(|| node.to_value().to_string(), str::to_owned)
}

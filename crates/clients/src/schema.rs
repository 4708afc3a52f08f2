//! Traversal of the subschemas of a schema.

use serde_json::{Map, Value};

/// A JSON object, such as a schema.
pub(crate) type Object = Map<String, Value>;

/// Keywords whose value is a schema or a list of schemas.
const SCHEMAS: [&str; 16] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value maps names to schemas.
const SCHEMA_MAPS: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// Visits a schema and all schemas in it. Values that are not schemas (`const`, `default`, `enum`,
/// `examples`) are left alone.
pub fn visit_schemas(schema: &mut Object, visit: &mut dyn FnMut(&mut Object)) {
    visit(schema);
    for (keyword, value) in schema {
        let keyword = keyword.as_str();
        match value {
            Value::Object(members) if SCHEMA_MAPS.contains(&keyword) => {
                members.values_mut().for_each(|member| visit_value(member, visit));
            }
            Value::Object(schema) if SCHEMAS.contains(&keyword) => visit_schemas(schema, visit),
            Value::Array(items) if SCHEMAS.contains(&keyword) => {
                items.iter_mut().for_each(|item| visit_value(item, visit));
            }
            _ => {}
        }
    }
}

fn visit_value(value: &mut Value, visit: &mut dyn FnMut(&mut Object)) {
    if let Value::Object(schema) = value {
        visit_schemas(schema, visit);
    }
}

/// Whether a schema or one of its subschemas passes a test.
pub(crate) fn has_schema(schema: &Object, test: &dyn Fn(&Object) -> bool) -> bool {
    let has = |value: &Value| value.as_object().is_some_and(|schema| has_schema(schema, test));
    test(schema)
        || schema.iter().any(|(keyword, value)| {
            let keyword = keyword.as_str();
            match value {
                Value::Object(members) if SCHEMA_MAPS.contains(&keyword) => {
                    members.values().any(has)
                }
                Value::Object(_) if SCHEMAS.contains(&keyword) => has(value),
                Value::Array(items) if SCHEMAS.contains(&keyword) => items.iter().any(has),
                _ => false,
            }
        })
}

/// Whether the keyword `type` of a schema includes a type.
pub(crate) fn has_type(schema: &Object, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(names)) => names.iter().any(|known| known == name),
        _ => false,
    }
}

/// Adds a sentence to the description of a schema.
pub(crate) fn add_description(schema: &mut Object, sentence: &str) {
    let before = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = if before.is_empty() { sentence.to_owned() } else { format!("{before} {sentence}") };
    schema.insert("description".to_owned(), text.into());
}

/// The size of a schema as JSON, in bytes.
pub(crate) fn count_bytes(schema: &Object) -> usize {
    serde_json::to_string(schema).map_or(0, |text| text.len())
}

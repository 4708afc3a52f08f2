//! JSON Schemas of Rust types, in the form that clients understand: references inlined where
//! possible, and no Rust-specific formats.

use catalog::Schema;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// Formats that state the width of a number. Clients do not know them, and `minimum` and `maximum`
/// express the same.
const RUST_FORMATS: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
    "uint128", "uint", "float", "double",
];

/// The input schema for an argument type.
pub(crate) fn argument_schema<A: JsonSchema>() -> Schema {
    let (schema, definitions) = generate::<A>(SchemaSettings::draft2020_12());
    let Value::Object(mut object) = schema else {
        return Schema::empty();
    };
    // The name and documentation of the type are for programmers, not for callers.
    object.remove("title");
    object.remove("description");
    // A tool without arguments needs them too: the TypeScript SDK expects an object there.
    object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if !definitions.is_empty() {
        object.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Schema::new(object)
}

/// The schema of a type inside a result, and the definitions that it refers to: recursive types
/// cannot be inlined.
pub(crate) fn result_schema<T: JsonSchema>() -> (Value, Map<String, Value>) {
    generate::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn generate<T: JsonSchema>(mut settings: SchemaSettings) -> (Value, Map<String, Value>) {
    // Some clients resolve no references, and models read a flat schema more easily.
    settings.inline_subschemas = true;
    let mut generator = settings.into_generator();
    let mut schema = generator.subschema_for::<T>().to_value();
    let mut definitions = generator.take_definitions(true);
    strip_rust_formats(&mut schema);
    definitions.values_mut().for_each(strip_rust_formats);
    (schema, definitions)
}

fn strip_rust_formats(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object
                .get("format")
                .and_then(Value::as_str)
                .is_some_and(|format| RUST_FORMATS.contains(&format))
            {
                object.shift_remove("format");
            }
            object.values_mut().for_each(strip_rust_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_rust_formats),
        _ => {}
    }
}

/// The paths of all parameters without a description, at any depth.
pub(crate) fn find_undescribed(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect_undescribed(schema, "", &mut found);
    found
}

fn collect_undescribed(schema: &Value, path: &str, found: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
        if text.trim().is_empty() {
            found.push(path.clone());
        }
        collect_undescribed(property, &path, found);
    }
    let parts =
        schema.get("anyOf").or(schema.get("oneOf")).and_then(Value::as_array).into_iter().flatten();
    parts.chain(schema.get("items")).for_each(|part| collect_undescribed(part, path, found));
    let definitions = schema.get("$defs").and_then(Value::as_object).into_iter().flatten();
    definitions.for_each(|(name, definition)| collect_undescribed(definition, name, found));
}

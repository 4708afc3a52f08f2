//! Schemas of Rust types as clients take them: references resolved where that is possible, nothing
//! that only Rust knows.

use catalog::Schema;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// Formats that say how many bits a number has. Its bounds say so too, and clients know them.
const RUST_FORMATS: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
    "uint128", "uint", "float", "double",
];

/// The schema of a type that holds the arguments of a tool.
pub(crate) fn schema<A: JsonSchema>() -> Schema {
    let (schema, definitions) = nested::<A>(SchemaSettings::draft2020_12());
    let Value::Object(mut object) = schema else {
        return Schema::empty();
    };
    // What a type is called and why it exists is the programmer's business.
    object.remove("title");
    object.remove("description");
    object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if !definitions.is_empty() {
        object.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Schema::new(object)
}

/// The schema of a type that is written into a result, and what it refers to.
pub(crate) fn result_schema<T: JsonSchema>() -> (Value, Map<String, Value>) {
    nested::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn nested<T: JsonSchema>(mut settings: SchemaSettings) -> (Value, Map<String, Value>) {
    settings.inline_subschemas = true;
    let mut generator = settings.into_generator();
    let mut schema = generator.subschema_for::<T>().to_value();
    let mut definitions = generator.take_definitions(true);
    tidy(&mut schema);
    definitions.values_mut().for_each(tidy);
    (schema, definitions)
}

fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object
                .get("format")
                .and_then(Value::as_str)
                .is_some_and(|format| RUST_FORMATS.contains(&format))
            {
                object.shift_remove("format");
            }
            object.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// The parameters of a schema that say nothing about themselves, at any depth, as paths.
pub(crate) fn undescribed(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk(schema, "", &mut found);
    found
}

fn walk(schema: &Value, path: &str, found: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
        if text.trim().is_empty() {
            found.push(path.clone());
        }
        walk(property, &path, found);
    }
    let parts =
        schema.get("anyOf").or(schema.get("oneOf")).and_then(Value::as_array).into_iter().flatten();
    parts.chain(schema.get("items")).for_each(|part| walk(part, path, found));
    let definitions = schema.get("$defs").and_then(Value::as_object).into_iter().flatten();
    definitions.for_each(|(name, definition)| walk(definition, name, found));
}

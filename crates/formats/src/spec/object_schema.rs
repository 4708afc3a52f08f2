//! Builds the schema of an object from fields, some of which have paths as names (`a.b`, `a[].b`).

use serde_json::{Map, Value, json};

use super::field::{Field, Required};

/// Whether values may have properties that are not listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unlisted {
    /// A list of parameters is complete, so an unknown argument is a mistake of the caller.
    Rejected,
    /// A result may have more fields than its description lists, and may lack some of them.
    Allowed,
}

pub(super) fn build(fields: &[Field], unlisted: Unlisted) -> Map<String, Value> {
    let mut root = Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), json!({})),
    ]);
    let mut required = Vec::new();
    for field in fields {
        let is_own = insert_property(&mut root, &field.name, to_schema(field));
        // No field of a result is required: descriptions do not tell which ones a failure lacks.
        if is_own && field.required == Required::Yes && unlisted == Unlisted::Rejected {
            required.push(Value::from(field.name.as_str()));
        }
    }
    if !required.is_empty() {
        root.insert("required".to_owned(), Value::Array(required));
    }
    if unlisted == Unlisted::Rejected {
        root.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    root
}

fn to_schema(field: &Field) -> Value {
    let mut schema = field.schema.clone();
    let mut description = field.description.clone();
    if let Required::Conditional(condition) = &field.required {
        description = format!("{description} (required: {condition})").trim_start().to_owned();
    }
    if !description.is_empty() {
        schema.insert("description".to_owned(), Value::from(description));
    }
    if let Some(example) = &field.example {
        schema.insert("examples".to_owned(), json!([example]));
    }
    if !field.nested.is_empty() {
        nest(&mut schema, &field.nested);
    }
    Value::Object(schema)
}

/// Adds fields to the schema of an object, or to that of the items of an array.
fn nest(schema: &mut Map<String, Value>, fields: &[Field]) {
    let mut nested = build(fields, Unlisted::Allowed);
    if schema.get("type").and_then(Value::as_str) == Some("array") {
        schema.insert("items".to_owned(), Value::Object(nested));
    } else {
        let properties = nested.remove("properties").expect("every object schema has properties");
        schema.insert("properties".to_owned(), properties);
    }
}

/// Inserts a property at the path that its name gives. Returns whether it is a property of `root`
/// itself: nested ones are never required, since their parent may be absent.
fn insert_property(root: &mut Map<String, Value>, name: &str, schema: Value) -> bool {
    let Some((parent, rest)) = name.split_once('.').filter(|(_, rest)| !rest.is_empty()) else {
        properties_mut(root).insert(name.trim_end_matches("[]").to_owned(), schema);
        return true;
    };
    let is_array = parent.ends_with("[]");
    let parent_type = if is_array { "array" } else { "object" };
    // The row of the parent normally comes first; a path without one creates it.
    let parent = properties_mut(root)
        .entry(parent.trim_end_matches("[]"))
        .or_insert_with(|| json!({"type": parent_type}))
        .as_object_mut();
    let holder = match parent {
        Some(parent) if is_array => {
            parent.entry("items").or_insert_with(|| json!({"type": "object"})).as_object_mut()
        }
        parent => parent,
    };
    if let Some(holder) = holder {
        insert_property(holder, rest, schema);
    }
    false
}

fn properties_mut(schema: &mut Map<String, Value>) -> &mut Map<String, Value> {
    let entry = schema.entry("properties").or_insert_with(|| json!({}));
    if !entry.is_object() {
        *entry = json!({});
    }
    entry.as_object_mut().expect("anything else was just replaced by an object")
}

//! Fields to a schema: names that reach into others, tables about one of them, and what must be given.

use serde_json::{Map, Value, json};

use super::field::{Field, Required};

/// Whether what is not listed is admitted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// A list of parameters is complete.
    Closed,
    /// A result may have more.
    Open,
}

/// The schema of an object with these fields.
pub(super) fn object(fields: &[Field], rest: Rest) -> Map<String, Value> {
    let mut root = Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), json!({})),
    ]);
    let mut required = Vec::new();
    for field in fields {
        if place(&mut root, &field.name, schema(field))
            && field.required == Required::Yes
            && rest == Rest::Closed
        {
            required.push(Value::from(field.name.as_str()));
        }
    }
    if !required.is_empty() {
        root.insert("required".to_owned(), Value::Array(required));
    }
    if rest == Rest::Closed {
        root.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    root
}

/// The schema of one field.
fn schema(field: &Field) -> Value {
    let mut schema = field.schema.clone();
    let mut description = field.description.clone();
    if let Required::Sometimes(when) = &field.required {
        description = format!("{description} (required: {when})").trim_start().to_owned();
    }
    if !description.is_empty() {
        schema.insert("description".to_owned(), Value::from(description));
    }
    if let Some(example) = &field.example {
        schema.insert("examples".to_owned(), json!([example]));
    }
    if !field.inner.is_empty() {
        nest(&mut schema, &field.inner);
    }
    Value::Object(schema)
}

/// Puts fields inside an object or inside the items of an array.
pub(super) fn nest(schema: &mut Map<String, Value>, fields: &[Field]) {
    let inner = object(fields, Rest::Open);
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => drop(schema.insert("items".to_owned(), Value::Object(inner))),
        _ => drop(schema.insert("properties".to_owned(), inner["properties"].clone())),
    }
}

/// Puts a property at its place, inside others where its name says so (`a.b`, `a[].b`). Whether it is one of the
/// object itself.
fn place(root: &mut Map<String, Value>, name: &str, schema: Value) -> bool {
    let Some((outer, inner)) = name.split_once('.').filter(|(_, inner)| !inner.is_empty()) else {
        properties(root).insert(name.trim_end_matches("[]").to_owned(), schema);
        return true;
    };
    let is_list = outer.ends_with("[]");
    let kind = if is_list { "array" } else { "object" };
    let outer = properties(root)
        .entry(outer.trim_end_matches("[]"))
        .or_insert_with(|| json!({"type": kind}));
    let Some(outer) = outer.as_object_mut() else {
        return false;
    };
    let holder = match is_list {
        true => outer.entry("items").or_insert_with(|| json!({"type": "object"})).as_object_mut(),
        false => Some(outer),
    };
    if let Some(holder) = holder {
        place(holder, inner, schema);
    }
    false
}

fn properties(schema: &mut Map<String, Value>) -> &mut Map<String, Value> {
    let entry = schema.entry("properties").or_insert_with(|| json!({}));
    if !entry.is_object() {
        *entry = json!({});
    }
    entry.as_object_mut().expect("it was just made one")
}

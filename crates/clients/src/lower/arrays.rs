//! Lowers array schemas.

use serde_json::{Value, json};

use super::Lowered;
use crate::schema::{Object, add_description, has_schema, has_type, visit_schemas};

pub(crate) fn has_tuple(schema: &Object) -> bool {
    has_schema(schema, &is_tuple)
}

fn is_tuple(schema: &Object) -> bool {
    schema.contains_key("prefixItems") || schema.get("items").is_some_and(Value::is_array)
}

/// Replaces types by position (tuples) by any of these types at every position.
pub(crate) fn open_tuples(lowered: &mut Lowered) {
    visit_schemas(&mut lowered.schema, &mut |schema| {
        if !is_tuple(schema) {
            return;
        }
        let prefix = schema.shift_remove("prefixItems");
        let rest = if prefix.is_some() { "items" } else { "additionalItems" };
        let is_closed = schema.get(rest) == Some(&Value::Bool(false));
        let items = prefix.or_else(|| schema.get("items").cloned());
        let items = items.and_then(|items| items.as_array().cloned()).unwrap_or_default();
        let types: Vec<_> = items.iter().map(describe).collect();
        add_description(schema, &format!("Items in this order: {}.", types.join(", ")));
        // An open tuple admits anything after its last position, so only a closed one limits the
        // types.
        let items =
            if is_closed && !items.is_empty() { json!({"anyOf": items}) } else { json!({}) };
        schema.insert("items".to_owned(), items);
        schema.shift_remove("additionalItems");
    });
}

fn describe(schema: &Value) -> String {
    let text = schema["title"].as_str().or(schema["description"].as_str());
    text.or(schema["type"].as_str()).unwrap_or("any value").trim_end_matches('.').to_owned()
}

pub(crate) fn has_bare_array(schema: &Object) -> bool {
    has_schema(schema, &is_bare_array)
}

fn is_bare_array(schema: &Object) -> bool {
    has_type(schema, "array") && !schema.contains_key("items") && !is_tuple(schema)
}

/// Adds an empty schema for items. It is not `true`, which Codex reads as strings.
pub(crate) fn give_items(lowered: &mut Lowered) {
    visit_schemas(&mut lowered.schema, &mut |schema| {
        if is_bare_array(schema) {
            schema.insert("items".to_owned(), json!({}));
        }
    });
}

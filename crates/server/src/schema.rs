//! Schemas as clients receive them: the same meaning, in the form that every client accepts.

use std::sync::Arc;

use catalog::Schema;
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

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
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", PROPERTIES];

const PROPERTIES: &str = "properties";

/// Renders a schema without `$schema`, because every client assumes the same dialect, and without
/// boolean subschemas under `properties`.
///
/// The TypeScript SDK 1.x and clients built on it accept only objects there, and reject the whole
/// list of tools because of a single boolean. `{}` and `{"not": {}}` mean the same as `true` and
/// `false`, so what is advertised stays what is enforced.
pub(crate) fn render(schema: &Schema) -> Arc<JsonObject> {
    let mut rendered = schema.to_object();
    // Most schemas need no change and stay shared with the catalog.
    // 2020-12 is the protocol's dialect where `$schema` is absent.
    if rendered.contains_key("$schema") {
        Arc::make_mut(&mut rendered).shift_remove("$schema");
    }
    // The cheap test first: copying every schema would double the memory of a large catalog.
    if rendered.iter().any(|(keyword, value)| may_have_boolean(keyword, value)) {
        replace_booleans(Arc::make_mut(&mut rendered));
    }
    rendered
}

/// Whether anything that looks like `properties` has a boolean member. It may be a property of that
/// name, or part of an example: only [`replace_booleans`] knows where schemas are.
fn may_have_boolean(key: &str, value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, member)| {
            (key == PROPERTIES && member.is_boolean()) || may_have_boolean(name, member)
        }),
        Value::Array(items) => items.iter().any(|item| may_have_boolean("", item)),
        _ => false,
    }
}

/// Writes boolean subschemas under `properties` as objects, at every level. Values that are not
/// schemas (`const`, `default`, `enum`, `examples`) are left alone.
fn replace_booleans(schema: &mut Map<String, Value>) {
    for (keyword, value) in schema {
        match value {
            Value::Object(members) if SCHEMA_MAPS.contains(&keyword.as_str()) => {
                for member in members.values_mut() {
                    if keyword == PROPERTIES
                        && let Value::Bool(admits_all) = *member
                    {
                        *member = if admits_all { json!({}) } else { json!({"not": {}}) };
                    }
                    replace_booleans_in(member);
                }
            }
            Value::Object(_) if SCHEMAS.contains(&keyword.as_str()) => replace_booleans_in(value),
            Value::Array(items) if SCHEMAS.contains(&keyword.as_str()) => {
                items.iter_mut().for_each(replace_booleans_in);
            }
            _ => {}
        }
    }
}

fn replace_booleans_in(schema: &mut Value) {
    if let Value::Object(schema) = schema {
        replace_booleans(schema);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use catalog::Schema;
    use serde_json::{Value, json};

    use super::render;

    fn rendered(schema: Value) -> Value {
        let Value::Object(schema) = schema else { panic!("not an object: {schema}") };
        Value::Object(Arc::unwrap_or_clone(render(&Schema::new(schema))))
    }

    #[test]
    fn writes_boolean_properties_as_objects_at_every_level() {
        let written = |yes: Value, no: Value| {
            let inner = json!({"properties": {"yes": yes, "no": no}});
            json!({
                "properties": {"yes": yes, "no": no, "properties": {"properties": {"yes": yes}}},
                "items": [inner],
                "additionalProperties": {"anyOf": [inner, true]},
                "$defs": {"d": {"not": inner}},
                "patternProperties": {"^p": {"items": inner}},
            })
        };
        let expected = written(json!({}), json!({"not": {}}));
        assert_eq!(rendered(written(json!(true), json!(false))), expected);
    }

    #[test]
    fn leaves_values_and_other_booleans_alone() {
        let value = json!({"properties": {"a": true}});
        let schema = json!({
            "const": value, "default": value, "enum": [value], "examples": [value],
            "properties": {"a": {"default": value}, "const": {"items": true}},
            "additionalProperties": false,
            "$defs": {"any": true},
        });
        assert_eq!(rendered(schema.clone()), schema);
    }

    #[test]
    fn shares_a_schema_that_needs_no_change() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let schema = Schema::new(schema.as_object().cloned().unwrap_or_default());
        assert!(Arc::ptr_eq(schema.object(), &render(&schema)));
    }
}

//! Schemas as clients receive them: the same meaning, in the form that every client accepts.

use std::sync::Arc;

use catalog::{
    Schema,
    implementation::{WORKING_DIRECTORY, WORKING_DIRECTORY_DESCRIPTION},
};
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

const PROPERTIES: &str = "properties";
const FORMAT: &str = "format";

/// The formats of JSON Schema 2020-12.
const STANDARD_FORMATS: [&str; 19] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// Renders a schema without `$schema`, because every client assumes the same dialect, without
/// boolean subschemas under `properties`, and without formats of our own such as `path`.
///
/// The TypeScript SDK 1.x and clients built on it accept only objects there, and reject the whole
/// list of tools because of a single boolean. `{}` and `{"not": {}}` mean the same as `true` and
/// `false`. Gemini CLI prints a warning for every unknown format at every call; a format is an
/// annotation, and ours are checked by the runtime. So what is advertised stays what is enforced.
pub(crate) fn render(schema: &Schema) -> Arc<JsonObject> {
    let mut rendered = schema.to_object();
    // Most schemas need no change and stay shared with the catalog.
    // 2020-12 is the protocol's dialect where `$schema` is absent.
    if rendered.contains_key("$schema") {
        Arc::make_mut(&mut rendered).shift_remove("$schema");
    }
    // The cheap test first: copying every schema would double the memory of a large catalog.
    if rendered.iter().any(|(keyword, value)| may_need_change(keyword, value)) {
        adapt(Arc::make_mut(&mut rendered));
        // The parameter has a format of our own, so schemas with it are never returned early above.
        shorten_working_directory(Arc::make_mut(&mut rendered));
    }
    rendered
}

/// Returns a schema in the served form, to compare it with schemas of another server.
pub fn to_served_schema(schema: &Schema) -> Schema {
    Schema::new(Arc::unwrap_or_clone(render(schema)))
}

/// Removes the standard description of the working directory, which would be repeated for every
/// tool.
fn shorten_working_directory(schema: &mut Map<String, Value>) {
    let properties = schema.get_mut(PROPERTIES).and_then(Value::as_object_mut);
    let folder = properties.and_then(|properties| properties.get_mut(WORKING_DIRECTORY));
    if let Some(folder) = folder.and_then(Value::as_object_mut)
        && folder.get("description").and_then(Value::as_str) == Some(WORKING_DIRECTORY_DESCRIPTION)
    {
        folder.shift_remove("description");
    }
}

/// Whether anything that looks like `properties` has a boolean member, or anything that looks like
/// `format` is not a standard one. It may be a property of that name, or part of an example: only
/// [`adapt`] knows where schemas are.
fn may_need_change(key: &str, value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, member)| {
            (key == PROPERTIES && member.is_boolean()) || may_need_change(name, member)
        }),
        Value::Array(items) => items.iter().any(|item| may_need_change("", item)),
        Value::String(format) => key == FORMAT && !STANDARD_FORMATS.contains(&format.as_str()),
        _ => false,
    }
}

/// Writes boolean subschemas under `properties` as objects and removes formats that are not
/// standard, at every level.
fn adapt(schema: &mut Map<String, Value>) {
    clients::visit_schemas(schema, &mut |schema| {
        if schema.get(FORMAT).is_some_and(|format| may_need_change(FORMAT, format)) {
            schema.shift_remove(FORMAT);
        }
        let properties = schema.get_mut(PROPERTIES).and_then(Value::as_object_mut);
        for property in properties.into_iter().flat_map(Map::values_mut) {
            if let Value::Bool(admits_all) = *property {
                *property = if admits_all { json!({}) } else { json!({"not": {}}) };
            }
        }
    });
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
    fn removes_formats_that_clients_do_not_know() {
        let schema = json!({
            "properties": {
                "file": {"type": "string", "format": "path"},
                "files": {"items": {"format": "path-or-value", "default": {"format": "path"}}},
                "when": {"format": "date-time"},
                "format": {"type": "string", "enum": ["path"]},
            },
            "format": "row",
        });
        let expected = json!({
            "properties": {
                "file": {"type": "string"},
                "files": {"items": {"default": {"format": "path"}}},
                "when": {"format": "date-time"},
                "format": {"type": "string", "enum": ["path"]},
            },
        });
        assert_eq!(rendered(schema), expected);
    }

    #[test]
    fn shares_a_schema_that_needs_no_change() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let schema = Schema::new(schema.as_object().cloned().unwrap_or_default());
        assert!(Arc::ptr_eq(schema.object(), &render(&schema)));
    }
}

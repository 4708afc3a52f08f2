//! The type of a field, in words.

use serde_json::Value;

/// The type that a JSON Schema describes, such as `array of string`. A definition is named.
pub(super) fn render_type(field: &Value) -> String {
    let of_definition =
        |reference: &str| reference.rsplit('/').next().unwrap_or_default().to_owned();
    if let Some(reference) = field["$ref"].as_str() {
        return of_definition(reference);
    }
    if let Some(values) = field["enum"].as_array() {
        return values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    }
    match &field["type"] {
        Value::String(kind) if kind == "array" && field["items"].is_object() => {
            format!("array of {}", render_type(&field["items"]))
        }
        Value::String(kind) if kind == "object" && field["additionalProperties"].is_object() => {
            format!("table of {}", render_type(&field["additionalProperties"]))
        }
        Value::String(kind) => kind.clone(),
        _ if !field["const"].is_null() => field["const"].to_string(),
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .filter(|kind| *kind != "null")
            .collect::<Vec<_>>()
            .join(" or "),
        _ => field["anyOf"].as_array().map_or_else(
            || "any".to_owned(),
            |any| {
                any.iter()
                    .map(render_type)
                    .filter(|kind| kind != "null")
                    .collect::<Vec<_>>()
                    .join(" or ")
            },
        ),
    }
}

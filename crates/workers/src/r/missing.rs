//! Missing values. Every R vector can contain NA, and every function can return `NULL`; JSON has
//! only `null` for both, which definitions rarely declare.

use serde_json::{Map, Value, json};

/// The types of scalars.
const SCALARS: [&str; 4] = ["string", "number", "integer", "boolean"];

/// The schema with `null` allowed for every scalar in it; `None` if it has no scalar.
pub fn with_missing(schema: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut schema = schema.clone();
    allow_null(&mut schema).then_some(schema)
}

/// Returns whether there was any scalar.
fn allow_null(schema: &mut Map<String, Value>) -> bool {
    // It is served beside the original, whose description is enough.
    schema.remove("description");
    let mut found = false;
    let is_scalar = |kind: &Value| kind.as_str().is_some_and(|kind| SCALARS.contains(&kind));
    match schema.get_mut("type") {
        // A list that already contains `null` is left alone, and so are unions with arrays or
        // objects.
        Some(Value::Array(kinds)) if kinds.iter().all(is_scalar) => {
            kinds.push("null".into());
            found = true;
        }
        Some(kind) if is_scalar(kind) => {
            *kind = json!([kind, "null"]);
            found = true;
        }
        _ => {}
    }
    if let (true, Some(Value::Array(choices))) = (found, schema.get_mut("enum")) {
        // `enum` restricts values independently of `type`, so it must list `null` as well.
        choices.push(Value::Null);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(Value::Object(inner)) = schema.get_mut(keyword) {
            found |= allow_null(inner);
        }
    }
    let properties =
        schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
    for property in properties.filter_map(|(_, property)| property.as_object_mut()) {
        found |= allow_null(property);
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::with_missing;

    #[test]
    fn allows_null_for_scalars_only() {
        let schema = json!({"type": "object", "description": "d", "properties": {
            "n": {"type": "integer", "description": "n"},
            "kind": {"type": "string", "enum": ["a"]},
            "all": {"type": "array", "items": {"type": "number"}},
            "any": {"type": "object"},
            "mixed": {"type": "array", "items": {"type": ["string", "number"]}},
        }});
        let with = json!({"type": "object", "properties": {
            "n": {"type": ["integer", "null"]},
            "kind": {"type": ["string", "null"], "enum": ["a", null]},
            "all": {"type": "array", "items": {"type": ["number", "null"]}},
            "any": {"type": "object"},
            "mixed": {"type": "array", "items": {"type": ["string", "number", "null"]}},
        }});
        let with_missing =
            |schema: Value| with_missing(schema.as_object().expect("a schema")).map(Value::Object);
        assert_eq!(with_missing(schema), Some(with));
        assert_eq!(with_missing(json!({"type": "array", "items": {"type": "object"}})), None);
    }
}

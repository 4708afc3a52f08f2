//! Missing values. Every vector of R may have an `NA` in it, and a function may return `NULL`, for
//! which JSON has nothing but `null`.

use serde_json::{Map, Value, json};

/// The types of single values.
const SINGLE: [&str; 4] = ["string", "number", "integer", "boolean"];

/// The schema of the same result with `null` for any single value in it; nothing if it has none.
pub fn with_missing(schema: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut schema = schema.clone();
    admit(&mut schema).then_some(schema)
}

/// Says whether there was anything to admit.
fn admit(schema: &mut Map<String, Value>) -> bool {
    // It stands beside the one that describes the result.
    schema.remove("description");
    let mut found = false;
    let is_single = |kind: &Value| kind.as_str().is_some_and(|kind| SINGLE.contains(&kind));
    match schema.get_mut("type") {
        Some(Value::Array(kinds)) if kinds.iter().all(is_single) => {
            kinds.push("null".into());
            found = true;
        }
        Some(kind) if is_single(kind) => {
            *kind = json!([kind, "null"]);
            found = true;
        }
        _ => {}
    }
    if let (true, Some(Value::Array(choices))) = (found, schema.get_mut("enum")) {
        choices.push(Value::Null);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(Value::Object(inner)) = schema.get_mut(keyword) {
            found |= admit(inner);
        }
    }
    let parts = schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
    for part in parts.filter_map(|(_, part)| part.as_object_mut()) {
        found |= admit(part);
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::with_missing;

    #[test]
    fn single_values_may_be_missing_and_nothing_else() {
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

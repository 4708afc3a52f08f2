//! The output schema of a tool, as it is served.
//!
//! Gemini CLI, opencode and Cline validate failed results too and drop the error text of one that
//! does not match. So the declared schema is widened by the standard error object. Revisions up to
//! 2025-11-25 allow only objects; the TypeScript SDK rejects the whole list for any other root. For
//! legacy clients other results are wrapped in an object.

use std::sync::Arc;

use catalog::{Mode, OnMismatch};
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// Keywords that references address from the root.
const ROOT_KEYWORDS: [&str; 2] = ["$defs", "definitions"];

/// Widens the schema of a result so that it also matches every other result that the tool may
/// return: a failure; the start of an operation, if it is asynchronous; and anything, if results
/// that do not match are returned with a warning.
pub(crate) fn widen(
    result: &JsonObject,
    mode: Mode,
    on_mismatch: Option<OnMismatch>,
) -> Arc<JsonObject> {
    let started = json!({
        "type": "object",
        "properties": {"status": {"const": "started"}},
        "required": ["status", "operation_id"],
    });
    let (shared, own) = split_root_keywords(result);
    let mut arms = vec![own, failure()];
    arms.extend((mode == Mode::Asynchronous).then_some(started));
    if on_mismatch == Some(OnMismatch::Warn) {
        // A client that validates would otherwise drop the result that we return with a warning.
        arms.push(if is_object(result) { json!({"type": "object"}) } else { json!({}) });
    }
    let mut widened = Map::new();
    if is_object(result) {
        // Repeated at the root, although every arm has it, because the TypeScript SDK looks for it
        // there.
        widened.insert("type".to_owned(), "object".into());
    }
    widened.insert("anyOf".to_owned(), Value::Array(arms));
    widened.extend(shared);
    Arc::new(widened)
}

/// Adds an alternative to a widened schema.
pub(crate) fn add_alternative(mut widened: Arc<JsonObject>, more: JsonObject) -> Arc<JsonObject> {
    if let Some(Value::Array(arms)) = Arc::make_mut(&mut widened).get_mut("anyOf") {
        arms.push(split_root_keywords(&more).1);
    }
    widened
}

/// Reverts [`widen`]. Returns other schemas unchanged: they come from servers that are not ours.
pub(crate) fn narrow(schema: &JsonObject) -> JsonObject {
    let arms = schema
        .get("anyOf")
        .and_then(Value::as_array)
        // The second arm identifies schemas that this program has widened.
        .filter(|arms| arms.get(1) == Some(&failure()));
    let Some(own) = arms.and_then(|arms| arms.first()).and_then(Value::as_object) else {
        return schema.clone();
    };
    let (shared, _) = split_root_keywords(schema);
    own.clone().into_iter().chain(shared).collect()
}

fn failure() -> Value {
    json!({
        "type": "object",
        "properties": {"status": {"const": "failure"}},
        "required": ["status", "error_type", "error_message"],
    })
}

/// Wraps a schema for legacy clients: the result becomes the only member of an object. `None` if it
/// is an object already.
pub(crate) fn wrap_schema(schema: &JsonObject) -> Option<Arc<JsonObject>> {
    if is_object(schema) {
        return None;
    }
    let (shared, own) = split_root_keywords(schema);
    let mut wrapped = Map::new();
    wrapped.insert("type".to_owned(), "object".into());
    wrapped.insert("properties".to_owned(), json!({"result": own}));
    wrapped.insert("required".to_owned(), json!(["result"]));
    wrapped.extend(shared);
    Some(Arc::new(wrapped))
}

/// Wraps a result to match [`wrap_schema`].
pub(crate) fn wrap_value(value: Value) -> Value {
    Value::Object(Map::from_iter([("result".to_owned(), value)]))
}

pub(crate) fn is_object(schema: &JsonObject) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

/// Whether members can be added to any object that matches a schema. An undecided answer counts as
/// no.
pub(crate) fn is_open(schema: &JsonObject) -> bool {
    // Also keywords with subschemas, which may close the object.
    const CLOSING: [&str; 16] = [
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
        "propertyNames",
        "maxProperties",
        "$ref",
        "$dynamicRef",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "dependentSchemas",
        "dependencies",
        "const",
        "enum",
    ];
    !CLOSING.iter().any(|keyword| schema.contains_key(*keyword))
}

/// Separates the keywords that must stay at the root, where references find them, from the rest.
fn split_root_keywords(schema: &JsonObject) -> (JsonObject, Value) {
    let members = schema.iter().map(|(keyword, value)| (keyword.clone(), value.clone()));
    let (shared, own): (JsonObject, JsonObject) =
        members.partition(|(keyword, _)| ROOT_KEYWORDS.contains(&keyword.as_str()));
    (shared, Value::Object(own))
}

#[cfg(test)]
mod tests {
    use catalog::{ErrorType, Failure, Mode, OnMismatch, Schema};
    use serde_json::{Value, json};

    use super::{is_open, narrow, widen, wrap_schema, wrap_value};

    fn is_valid(schema: &rmcp::model::JsonObject, value: &Value) -> bool {
        Schema::new(schema.clone()).validator().expect("a schema").is_valid(value)
    }

    #[test]
    fn matches_results_and_failures_in_both_eras_with_references_intact() {
        let result = json!({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}});
        let modern = widen(result.as_object().expect("an object"), Mode::Synchronous, None);
        let legacy = wrap_schema(&modern).expect("not an object");
        assert_eq!(legacy["type"], "object");
        assert_eq!(Value::Object(narrow(&modern)), result);
        let failure = Failure::new(ErrorType::TimedOut, "too late").object();
        for good in [json!([1, 2]), failure] {
            assert!(
                is_valid(&modern, &good) && is_valid(&legacy, &wrap_value(good.clone())),
                "{good}"
            );
        }
        for bad in [json!(["x"]), json!({"status": "failure"})] {
            assert!(
                !is_valid(&modern, &bad) && !is_valid(&legacy, &wrap_value(bad.clone())),
                "{bad}"
            );
        }
    }

    #[test]
    fn matches_a_started_operation_of_an_asynchronous_tool() {
        let result = json!({"type": "object", "required": ["x"]});
        let started = json!({"status": "started", "operation_id": "op_1"});
        for (mode, admitted) in [(Mode::Asynchronous, true), (Mode::Synchronous, false)] {
            let schema = widen(result.as_object().expect("an object"), mode, None);
            assert_eq!(is_valid(&schema, &started), admitted, "{mode:?}");
        }
    }

    #[test]
    fn matches_mismatches_that_are_returned_with_a_warning() {
        let result = json!({"type": "object", "required": ["x"]});
        for (on_mismatch, admitted) in [(OnMismatch::Warn, true), (OnMismatch::Fail, false)] {
            let schema =
                widen(result.as_object().expect("an object"), Mode::Synchronous, Some(on_mismatch));
            assert_eq!(is_valid(&schema, &json!({"y": 1})), admitted, "{on_mismatch:?}");
        }
    }

    #[test]
    fn adds_nothing_to_objects_that_a_subschema_may_close() {
        let is_open = |schema: Value| is_open(schema.as_object().expect("an object"));
        assert!(is_open(json!({"type": "object", "properties": {"x": {"enum": [1]}}})));
        let closed = json!({"properties": {"x": true}, "additionalProperties": false});
        for keyword in ["anyOf", "oneOf", "allOf"] {
            assert!(!is_open(json!({"type": "object", keyword: [closed]})), "{keyword}");
        }
        assert!(!is_open(json!({"type": "object", "if": true, "then": closed})));
        assert!(!is_open(json!({"type": "object", "const": {"x": 1}})));
    }

    #[test]
    fn does_not_wrap_objects() {
        let result = json!({"type": "object", "required": ["x"]});
        let modern = widen(result.as_object().expect("an object"), Mode::Synchronous, None);
        assert_eq!(modern["type"], "object");
        assert_eq!(wrap_schema(&modern), None);
        assert!(is_valid(&modern, &json!({"x": 1})) && !is_valid(&modern, &json!({"y": 1})));
    }
}

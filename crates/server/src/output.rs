//! The schema of a tool's structured result, as it is served.
//!
//! Clients check failed results, too, so what a tool says about its result is widened by the
//! standard error object. Older clients take only objects: for them, anything else is wrapped.

use std::sync::Arc;

use catalog::{Mode, OnMismatch};
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// Keywords whose content is referred to from the root.
const SHARED: [&str; 2] = ["$defs", "definitions"];

/// The schema that admits the result or a failure; of a tool whose calls may become operations word of that, and of one
/// whose results are returned even if they are not as it says, anything.
pub(crate) fn widened(
    result: &JsonObject,
    mode: Mode,
    on_mismatch: Option<OnMismatch>,
) -> Arc<JsonObject> {
    let started = json!({
        "type": "object",
        "properties": {"status": {"const": "started"}},
        "required": ["status", "operation_id"],
    });
    let (shared, own) = split(result);
    let mut arms = vec![own, failure()];
    arms.extend((mode == Mode::Asynchronous).then_some(started));
    if on_mismatch == Some(OnMismatch::Warn) {
        arms.push(if is_object(result) { json!({"type": "object"}) } else { json!({}) });
    }
    let mut widened = Map::new();
    if is_object(result) {
        widened.insert("type".to_owned(), "object".into());
    }
    widened.insert("anyOf".to_owned(), Value::Array(arms));
    widened.extend(shared);
    Arc::new(widened)
}

/// The schema that admits one thing more.
pub(crate) fn admitting(mut widened: Arc<JsonObject>, more: JsonObject) -> Arc<JsonObject> {
    if let Some(Value::Array(arms)) = Arc::make_mut(&mut widened).get_mut("anyOf") {
        arms.push(split(&more).1);
    }
    widened
}

/// What a schema says of good results: one of ours without what it was widened by, any other as it is.
pub(crate) fn narrowed(schema: &JsonObject) -> JsonObject {
    let arms = schema
        .get("anyOf")
        .and_then(Value::as_array)
        .filter(|arms| arms.get(1) == Some(&failure()));
    let Some(own) = arms.and_then(|arms| arms.first()).and_then(Value::as_object) else {
        return schema.clone();
    };
    let (shared, _) = split(schema);
    own.clone().into_iter().chain(shared).collect()
}

fn failure() -> Value {
    json!({
        "type": "object",
        "properties": {"status": {"const": "failure"}},
        "required": ["status", "error_type", "error_message"],
    })
}

/// The schema for older clients, if theirs is another: the result as the one member of an object.
pub(crate) fn wrapped(schema: &JsonObject) -> Option<Arc<JsonObject>> {
    if is_object(schema) {
        return None;
    }
    let (shared, own) = split(schema);
    let mut wrapped = Map::new();
    wrapped.insert("type".to_owned(), "object".into());
    wrapped.insert("properties".to_owned(), json!({"result": own}));
    wrapped.insert("required".to_owned(), json!(["result"]));
    wrapped.extend(shared);
    Some(Arc::new(wrapped))
}

/// A result as [`wrapped`] describes it.
pub(crate) fn wrap(value: Value) -> Value {
    Value::Object(Map::from_iter([("result".to_owned(), value)]))
}

fn is_object(schema: &JsonObject) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

/// What must stay at the root for references to find it, and the rest.
fn split(schema: &JsonObject) -> (JsonObject, Value) {
    let members = schema.iter().map(|(keyword, value)| (keyword.clone(), value.clone()));
    let (shared, own): (JsonObject, JsonObject) =
        members.partition(|(keyword, _)| SHARED.contains(&keyword.as_str()));
    (shared, Value::Object(own))
}

#[cfg(test)]
mod tests {
    use catalog::{ErrorType, Failure, Mode, OnMismatch, Schema};
    use serde_json::{Value, json};

    use super::{narrowed, widened, wrap, wrapped};

    fn admits(schema: &rmcp::model::JsonObject, value: &Value) -> bool {
        Schema::new(schema.clone()).validator().expect("a schema").is_valid(value)
    }

    #[test]
    fn admits_results_and_failures_in_both_eras_with_references_intact() {
        let result = json!({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}});
        let modern = widened(result.as_object().expect("an object"), Mode::Synchronous, None);
        let legacy = wrapped(&modern).expect("another for older clients");
        assert_eq!(legacy["type"], "object");
        assert_eq!(Value::Object(narrowed(&modern)), result);
        let failure = Failure::new(ErrorType::TimedOut, "too late").object();
        for good in [json!([1, 2]), failure] {
            assert!(admits(&modern, &good) && admits(&legacy, &wrap(good.clone())), "{good}");
        }
        for bad in [json!(["x"]), json!({"status": "failure"})] {
            assert!(!admits(&modern, &bad) && !admits(&legacy, &wrap(bad.clone())), "{bad}");
        }
    }

    #[test]
    fn word_of_a_started_operation_is_admitted_where_there_can_be_one() {
        let result = json!({"type": "object", "required": ["x"]});
        let started = json!({"status": "started", "operation_id": "op_1"});
        for (mode, admitted) in [(Mode::Asynchronous, true), (Mode::Synchronous, false)] {
            let schema = widened(result.as_object().expect("an object"), mode, None);
            assert_eq!(admits(&schema, &started), admitted, "{mode:?}");
        }
    }

    #[test]
    fn what_is_returned_with_a_warning_is_admitted_and_what_fails_is_not() {
        let result = json!({"type": "object", "required": ["x"]});
        for (on_mismatch, admitted) in [(OnMismatch::Warn, true), (OnMismatch::Fail, false)] {
            let schema = widened(
                result.as_object().expect("an object"),
                Mode::Synchronous,
                Some(on_mismatch),
            );
            assert_eq!(admits(&schema, &json!({"y": 1})), admitted, "{on_mismatch:?}");
        }
    }

    #[test]
    fn objects_need_no_wrapping() {
        let result = json!({"type": "object", "required": ["x"]});
        let modern = widened(result.as_object().expect("an object"), Mode::Synchronous, None);
        assert_eq!(modern["type"], "object");
        assert_eq!(wrapped(&modern), None);
        assert!(admits(&modern, &json!({"x": 1})) && !admits(&modern, &json!({"y": 1})));
    }
}

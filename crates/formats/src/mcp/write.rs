//! Writes tools as the result of `tools/list`. Undeclared hints are left out, so that clients
//! assume the worst, as they do of a served tool.

use catalog::{Annotations, Schema, Tool};
use serde_json::{Map, Value, json};

use super::meta;
use crate::comparison::describe;

/// The result object with all tools.
pub(crate) fn write_listing(tools: &[Tool]) -> String {
    let tools: Vec<Value> = tools.iter().map(write_tool).collect();
    serde_json::to_string_pretty(&json!({"tools": tools})).expect("a value is JSON") + "\n"
}

fn write_tool(tool: &Tool) -> Value {
    let mut object = Map::new();
    let mut put =
        |key: &str, value: Option<Value>| object.extend(value.map(|value| (key.to_owned(), value)));
    put("name", Some(tool.name.as_str().into()));
    put("title", tool.title.clone().map(Value::from));
    put("description", Some(describe(tool).into()));
    put("inputSchema", Some(to_json(&tool.input)));
    put("outputSchema", tool.output.as_ref().map(to_json));
    put("annotations", non_empty(write_annotations(&tool.annotations)));
    put("_meta", non_empty(meta::write(tool)));
    Value::Object(object)
}

fn to_json(schema: &Schema) -> Value {
    Value::Object(schema.object().as_ref().clone())
}

fn non_empty(object: Map<String, Value>) -> Option<Value> {
    (!object.is_empty()).then_some(Value::Object(object))
}

fn write_annotations(annotations: &Annotations) -> Map<String, Value> {
    let hints = [
        ("readOnlyHint", annotations.mutates.map(|mutates| !mutates)),
        ("destructiveHint", annotations.dangerous),
        ("idempotentHint", annotations.idempotent),
        ("openWorldHint", annotations.uses_network()),
    ];
    hints.into_iter().filter_map(|(key, hint)| Some((key.to_owned(), hint?.into()))).collect()
}

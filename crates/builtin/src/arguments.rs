//! Schemas and arguments of the tools that manage operations.

use runtime::operation::OperationId;
use serde_json::{Map, Value, json};
use toolkit::{Arguments, ErrorType, Failure, Schema};

pub(crate) fn object_schema(properties: Value, required: &[&str]) -> Schema {
    let mut object = Map::new();
    object.insert("type".to_owned(), "object".into());
    object.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        object.insert("required".to_owned(), json!(required));
    }
    object.insert("additionalProperties".to_owned(), false.into());
    Schema::new(object)
}

/// The schema of an operation id. Its form is checked by [`parse_id`].
pub(crate) fn id_schema(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// A string argument.
pub(crate) fn get_text<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// Collects the ids in `id` and `ids`, without duplicates.
pub(crate) fn collect_ids(arguments: &Arguments) -> Result<Vec<OperationId>, Failure> {
    let several = arguments
        .get("ids")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let mut ids = Vec::new();
    for text in get_text(arguments, "id").into_iter().chain(several) {
        let id = parse_id(text)?;
        // Clients send the same id in `id` and `ids`; its result must be returned once.
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// Parses an id. Reports a malformed one as an unknown operation.
pub(crate) fn parse_id(text: &str) -> Result<OperationId, Failure> {
    text.parse().map_err(|_| unknown_operation_error(text))
}

/// The failure for an unknown operation. Worded like the runtime's failure for an operation of
/// another owner, so that a caller cannot probe for ids.
pub(crate) fn unknown_operation_error(id: &str) -> Failure {
    Failure::new(
        ErrorType::UnknownOperation,
        format!("there is no operation `{id}`; call `status` to list yours"),
    )
    .details(json!({"operation_id": id}))
}

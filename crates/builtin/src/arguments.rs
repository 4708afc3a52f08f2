//! Arguments that have been checked against a schema, as what they mean.

use runtime::operation::OperationId;
use serde_json::{Value, json};
use toolkit::{Arguments, ErrorType, Failure, Schema};

/// An object schema with these properties.
pub(crate) fn schema(properties: Value, required: &[&str]) -> Schema {
    let Value::Object(object) = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    else {
        unreachable!("written as an object above")
    };
    Schema::new(object)
}

/// The schema of an id.
pub(crate) fn id_schema(description: &str) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": 64, "description": description})
}

pub(crate) fn text<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// `id`, and every one of `ids`, each once.
pub(crate) fn ids(arguments: &Arguments) -> Result<Vec<OperationId>, Failure> {
    let several = arguments
        .get("ids")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let mut ids = Vec::new();
    for text in text(arguments, "id").into_iter().chain(several) {
        let id = id(text)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// What cannot be an id is as unknown as an id that never was.
pub(crate) fn id(text: &str) -> Result<OperationId, Failure> {
    text.parse().map_err(|_| unknown(text))
}

/// The words of the runtime for someone else's operation, and for none.
pub(crate) fn unknown(id: &str) -> Failure {
    Failure::new(
        ErrorType::UnknownOperation,
        format!("there is no operation `{id}`; ask for `status` to see yours"),
    )
    .details(json!({"operation_id": id}))
}

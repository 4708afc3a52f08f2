//! JSON, with or without comments.

use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstNode, CstObject, CstRootNode},
};
use serde_json::Value;

use super::{EditError, JsonDialect};

pub(super) fn entry(
    text: &str,
    dialect: JsonDialect,
    servers: &str,
    name: &str,
) -> Result<Option<Value>, EditError> {
    let root = parse(text, dialect)?;
    let table = find_servers(&root, servers)?;
    Ok(table.and_then(|table| table.get(name)?.to_serde_value()))
}

pub(super) fn insert(
    text: &str,
    dialect: JsonDialect,
    servers: &str,
    name: &str,
    entry: &Value,
) -> Result<String, EditError> {
    let is_empty = text.trim().is_empty();
    let root = parse(text, dialect)?;
    let table = match find_servers(&root, servers)? {
        Some(table) => table,
        None => root.object_value_or_set().object_value_or_set(servers),
    };
    match table.get(name) {
        Some(property) => property.set_value(to_input(entry)),
        None => _ = table.append(name, to_input(entry)),
    }
    let text = root.to_string();
    // A new file ends with a newline, as editors write it.
    Ok(if is_empty { format!("{}\n", text.trim_end()) } else { text })
}

pub(super) fn remove(
    text: &str,
    dialect: JsonDialect,
    servers: &str,
    name: &str,
) -> Result<String, EditError> {
    let root = parse(text, dialect)?;
    if let Some(property) = find_servers(&root, servers)?.and_then(|table| table.get(name)) {
        property.remove();
    }
    Ok(root.to_string())
}

/// Adds an item to the array of a key, unless the array has it. Creates the array if it is missing.
pub(super) fn add_item(text: &str, key: &str, item: &Value) -> Result<String, EditError> {
    let root = parse(text, JsonDialect::Relaxed)?;
    if root.value().is_some_and(|value| value.as_object().is_none()) {
        return Err(EditError::Broken("it is not an object".to_owned()));
    }
    let whole = root.object_value_or_set();
    let list =
        whole.array_value_or_create(key).ok_or_else(|| EditError::NotAList(key.to_owned()))?;
    let is_known = |node: CstNode| node.to_serde_value().as_ref() == Some(item);
    if list.elements().into_iter().any(is_known) {
        return Ok(text.to_owned());
    }
    list.append(to_input(item));
    Ok(root.to_string())
}

fn parse(text: &str, dialect: JsonDialect) -> Result<CstRootNode, EditError> {
    // The parser below accepts comments when it builds a syntax tree, whatever its options are.
    if dialect == JsonDialect::Strict && !text.trim().is_empty() {
        serde_json::from_str::<Value>(text)
            .map_err(|error| EditError::Broken(error.to_string()))?;
    }
    let options = ParseOptions {
        allow_comments: dialect != JsonDialect::Strict,
        allow_trailing_commas: dialect == JsonDialect::Relaxed,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    };
    CstRootNode::parse(text, &options).map_err(|error| EditError::Broken(error.to_string()))
}

/// The table of servers, if there is one. Anything else in its place is an error, because the
/// methods that create a table would replace it.
fn find_servers(root: &CstRootNode, servers: &str) -> Result<Option<CstObject>, EditError> {
    let Some(value) = root.value() else {
        return Ok(None);
    };
    let whole =
        value.as_object().ok_or_else(|| EditError::Broken("it is not an object".to_owned()))?;
    let Some(property) = whole.get(servers) else {
        return Ok(None);
    };
    let table = property.value().as_ref().and_then(CstNode::as_object);
    table.map(Some).ok_or_else(|| EditError::NotATable(servers.to_owned()))
}

fn to_input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(to_input).collect()),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| (key.clone(), to_input(value)));
            CstInputValue::Object(fields.collect())
        }
    }
}

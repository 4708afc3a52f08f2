//! TOML.

use serde_json::{Map, Value};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike};

use super::EditError;

pub(super) fn entry(text: &str, servers: &str, name: &str) -> Result<Option<Value>, EditError> {
    let document = parse(text)?;
    let table = find_servers(&document, servers)?;
    Ok(table.and_then(|table| table.get(name)).and_then(to_json))
}

pub(super) fn insert(
    text: &str,
    servers: &str,
    name: &str,
    entry: &Value,
) -> Result<String, EditError> {
    let mut document = parse(text)?;
    if find_servers(&document, servers)?.is_none() {
        let mut table = Table::new();
        // Only `[mcp_servers.NAME]` gets a header.
        table.set_implicit(true);
        document.insert(servers, Item::Table(table));
    }
    let table = document[servers].as_table_like_mut();
    let table = table.ok_or_else(|| EditError::NotATable(servers.to_owned()))?;
    let mut item = to_item(entry);
    // Keeps the comments and blank lines above an entry that is replaced, and its place in the
    // file.
    if let (Some(old), Some(new)) = (table.get(name).and_then(Item::as_table), item.as_table_mut())
    {
        *new.decor_mut() = old.decor().clone();
        new.set_position(old.position());
    }
    table.insert(name, item);
    Ok(document.to_string())
}

pub(super) fn remove(text: &str, servers: &str, name: &str) -> Result<String, EditError> {
    let mut document = parse(text)?;
    if let Some(table) = document.get_mut(servers).and_then(Item::as_table_like_mut) {
        table.remove(name);
    }
    Ok(document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        EditError::Broken(error.to_string().trim_end().to_owned())
    })
}

fn find_servers<'d>(
    document: &'d DocumentMut,
    servers: &str,
) -> Result<Option<&'d dyn TableLike>, EditError> {
    match document.get(servers) {
        None => Ok(None),
        Some(item) => {
            item.as_table_like().map(Some).ok_or_else(|| EditError::NotATable(servers.to_owned()))
        }
    }
}

fn to_json(item: &Item) -> Option<Value> {
    if let Some(table) = item.as_table_like() {
        let fields = table.iter().map(|(key, item)| Some((key.to_owned(), to_json(item)?)));
        return fields.collect::<Option<Map<_, _>>>().map(Value::Object);
    }
    value_to_json(item.as_value()?)
}

fn value_to_json(value: &toml_edit::Value) -> Option<Value> {
    match value {
        toml_edit::Value::String(text) => Some(text.value().as_str().into()),
        toml_edit::Value::Integer(number) => Some((*number.value()).into()),
        toml_edit::Value::Boolean(value) => Some((*value.value()).into()),
        toml_edit::Value::Array(items) => {
            items.iter().map(value_to_json).collect::<Option<Vec<_>>>().map(Value::Array)
        }
        // Entries written by `connect` have no other types.
        _ => None,
    }
}

fn to_item(value: &Value) -> Item {
    match value {
        Value::Object(fields) => {
            let mut table = Table::new();
            for (key, value) in fields {
                table.insert(key, to_item(value));
            }
            Item::Table(table)
        }
        Value::Array(items) => {
            // The only lists in an entry are the words of a command line.
            let texts = items.iter().filter_map(Value::as_str);
            toml_edit::value(texts.collect::<Array>())
        }
        Value::Bool(value) => toml_edit::value(*value),
        Value::Number(number) => toml_edit::value(number.as_i64().unwrap_or_default()),
        Value::String(text) => toml_edit::value(text.as_str()),
        Value::Null => Item::None,
    }
}

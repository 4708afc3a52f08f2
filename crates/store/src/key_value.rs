//! The key-value store of tools and users, divided into spaces. The table is called `kept`.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params, types::Type};
use serde_json::Value;

pub(crate) fn get(
    connection: &Connection,
    space: &str,
    key: &str,
) -> rusqlite::Result<Option<Value>> {
    let mut statement =
        connection.prepare_cached("SELECT value FROM kept WHERE space = ? AND key = ?")?;
    let found: Option<String> =
        statement.query_row(params![space, key], |row| row.get(0)).optional()?;
    found.map(|text| parse(&text)).transpose()
}

pub(crate) fn all(
    connection: &Connection,
    space: &str,
) -> rusqlite::Result<BTreeMap<String, Value>> {
    let mut statement = connection.prepare_cached("SELECT key, value FROM kept WHERE space = ?")?;
    let rows =
        statement.query_map(params![space], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    rows.map(|row| row.and_then(|(key, text)| Ok((key, parse(&text)?)))).collect()
}

/// The values after a key, in the order of their keys.
pub(crate) fn page(
    connection: &Connection,
    space: &str,
    after: Option<&str>,
    limit: usize,
) -> rusqlite::Result<Vec<(String, Value)>> {
    let mut statement = connection.prepare_cached(
        "SELECT key, value FROM kept WHERE space = ? AND key > ? ORDER BY key LIMIT ?",
    )?;
    // No key is empty.
    let values = params![space, after.unwrap_or_default(), limit as i64];
    let rows = statement.query_map(values, |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    rows.map(|row| row.and_then(|(key, text)| Ok((key, parse(&text)?)))).collect()
}

/// Sets or removes a value. Returns the previous one; the writer's transaction makes both atomic.
pub(crate) fn set(
    connection: &Connection,
    space: &str,
    key: &str,
    value: Option<&Value>,
) -> rusqlite::Result<Option<Value>> {
    // Read in the transaction of the write, so that no other server can change it in between.
    let before = get(connection, space, key)?;
    match value {
        Some(value) => {
            let upsert = "INSERT INTO kept (space, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value";
            connection.prepare_cached(upsert)?.execute(params![space, key, value.to_string()])?;
        }
        None => {
            _ = connection
                .prepare_cached("DELETE FROM kept WHERE space = ? AND key = ?")?
                .execute(params![space, key])?
        }
    }
    Ok(before)
}

fn parse(text: &str) -> rusqlite::Result<Value> {
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error)))
}

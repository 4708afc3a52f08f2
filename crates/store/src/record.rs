//! Conversion between the model and rows. Outcomes have a format of their own on disk, so that the
//! model's types can change without migrating stored data.

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use catalog::{Content, Outcome};
use runtime::operation::{Operation, OperationId, Owner, State};
use rusqlite::{
    Row,
    types::{FromSqlError, Type},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// The columns of an operation, in the order in which [`read_operation`] reads them.
pub(crate) const COLUMNS: &str = "seq, id, owner, tool, arguments, state, created, started, ended, elapsed, server, folder, \
                                  leader, progress, last_line, hint, collected";

/// Reads an operation without its outcome, and its sequence number.
pub(crate) fn read_operation(row: &Row<'_>) -> rusqlite::Result<(i64, Operation)> {
    let operation = Operation {
        id: read_id(row, 1)?,
        owner: Owner(row.get(2)?),
        tool: row.get(3)?,
        arguments: read_json(row, 4)?,
        state: read_state(row, 5)?,
        created: from_micros(row.get(6)?),
        started: row.get::<_, Option<i64>>(7)?.map(from_micros),
        ended: row.get::<_, Option<i64>>(8)?.map(from_micros),
        elapsed: Duration::from_micros(row.get::<_, i64>(9)?.unsigned_abs()),
        server: read_json(row, 10)?,
        // A blob, because a path may contain bytes that are not UTF-8.
        folder: PathBuf::from(OsString::from_vec(row.get(11)?)),
        leader: read_optional_json(row, 12)?,
        progress: read_json(row, 13)?,
        last_line: row.get(14)?,
        hint: row.get(15)?,
        outcome: None,
        collected: row.get(16)?,
        output_bytes: 0,
    };
    Ok((row.get(0)?, operation))
}

/// Microseconds since 1970. Earlier times become 0.
pub(crate) fn to_micros(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

pub(crate) fn from_micros(micros: i64) -> SystemTime {
    // Negative numbers are never written; in a file that was edited by hand they must not panic.
    SystemTime::UNIX_EPOCH + Duration::from_micros(micros.unsigned_abs())
}

pub(crate) fn duration_to_micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// The bytes of a path, which need not be UTF-8.
pub(crate) fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// Serializes a value of our own, which cannot fail.
pub(crate) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

pub(crate) fn read_id(row: &Row<'_>, column: usize) -> rusqlite::Result<OperationId> {
    row.get::<_, String>(column)?.parse().map_err(|error| conversion_error(column, error))
}

pub(crate) fn read_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    serde_json::from_str(row.get_ref(column)?.as_str()?)
        .map_err(|error| conversion_error(column, error))
}

fn read_optional_json<T: DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<T>> {
    match row.get_ref(column)?.as_str_or_null()? {
        Some(text) => {
            serde_json::from_str(text).map(Some).map_err(|error| conversion_error(column, error))
        }
        None => Ok(None),
    }
}

fn read_state(row: &Row<'_>, column: usize) -> rusqlite::Result<State> {
    let name = row.get_ref(column)?.as_str()?;
    State::from_name(name).ok_or_else(|| conversion_error(column, FromSqlError::InvalidType))
}

pub(crate) fn conversion_error(
    column: usize,
    error: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}

/// The stored form of an outcome.
#[derive(Serialize, Deserialize)]
pub(crate) struct OutcomeRecord {
    content: Vec<ContentRecord>,
    structured: Option<Value>,
    failed: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentRecord {
    Text { text: String },
    Image { data: String, mime_type: String },
    Audio { data: String, mime_type: String },
    Resource { uri: String, mime_type: String, text: String },
    Link { uri: String, name: String, mime_type: String },
}

impl From<Outcome> for OutcomeRecord {
    fn from(outcome: Outcome) -> Self {
        let content = outcome.content.into_iter().map(|content| match content {
            Content::Text(text) => ContentRecord::Text { text },
            Content::Image { data, mime_type } => {
                ContentRecord::Image { data: BASE64_STANDARD.encode(data), mime_type }
            }
            Content::Audio { data, mime_type } => {
                ContentRecord::Audio { data: BASE64_STANDARD.encode(data), mime_type }
            }
            Content::Resource { uri, mime_type, text } => {
                ContentRecord::Resource { uri, mime_type, text }
            }
            Content::Link { uri, name, mime_type } => ContentRecord::Link { uri, name, mime_type },
        });
        Self { content: content.collect(), structured: outcome.structured, failed: outcome.failed }
    }
}

impl From<OutcomeRecord> for Outcome {
    fn from(record: OutcomeRecord) -> Self {
        // We encoded it ourselves, so it can only be invalid in a file that was edited by hand.
        let bytes = |data: String| BASE64_STANDARD.decode(data).unwrap_or_default();
        let content = record.content.into_iter().map(|content| match content {
            ContentRecord::Text { text } => Content::Text(text),
            ContentRecord::Image { data, mime_type } => {
                Content::Image { data: bytes(data), mime_type }
            }
            ContentRecord::Audio { data, mime_type } => {
                Content::Audio { data: bytes(data), mime_type }
            }
            ContentRecord::Resource { uri, mime_type, text } => {
                Content::Resource { uri, mime_type, text }
            }
            ContentRecord::Link { uri, name, mime_type } => Content::Link { uri, name, mime_type },
        });
        Self { content: content.collect(), structured: record.structured, failed: record.failed }
    }
}

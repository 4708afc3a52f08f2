//! What can go wrong with a database, in the words of a journal.

use std::{io, path::PathBuf};

use runtime::journal::JournalError;
use rusqlite::ErrorCode;

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its folder or a file in it cannot be used.
    #[error("cannot use `{path}`: {error}")]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It was written by a later version.
    #[error(
        "the store `{path}` was written by a later version (format {found}); update this program"
    )]
    TooNew {
        /// Its file.
        path: PathBuf,
        /// The version of its format.
        found: i64,
    },
    /// It cannot be read or written now.
    #[error("cannot open the store `{path}`: {error}")]
    Store {
        /// Its file.
        path: PathBuf,
        /// Why.
        error: JournalError,
    },
}

/// Whether a file is no database, or a broken one.
pub(crate) fn is_corrupt(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// A database's error in the words of a journal.
pub(crate) fn journal_error(error: rusqlite::Error) -> JournalError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => JournalError::Locked,
        Some(ErrorCode::DiskFull) => JournalError::Full,
        _ => JournalError::Failed(error.to_string()),
    }
}

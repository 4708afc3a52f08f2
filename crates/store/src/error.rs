//! Errors of the database, and their conversion to errors of a journal.

use std::{io, path::PathBuf};

use runtime::journal::JournalError;
use rusqlite::ErrorCode;

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or a file in it cannot be used.
    #[error("cannot use `{path}`: {error}")]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A later version of this program wrote the file.
    #[error(
        "the store `{path}` was written by a later version (format {found}); update this program"
    )]
    TooNew {
        /// The database file.
        path: PathBuf,
        /// The version of its format.
        found: i64,
    },
    /// The file cannot be read or written.
    #[error("cannot open the store `{path}`: {error}")]
    Store {
        /// The database file.
        path: PathBuf,
        /// The error of the database.
        error: JournalError,
    },
}

impl OpenError {
    /// The error of requests while the store cannot be opened. Without paths: clients may be
    /// remote.
    pub(crate) fn to_journal_error(&self) -> JournalError {
        match self {
            Self::Folder { error, .. } => unavailable(error.kind()),
            Self::TooNew { found, .. } => JournalError::Unavailable(format!(
                "a later version of this program wrote it (format {found})"
            )),
            Self::Store { error, .. } => match error {
                JournalError::Failed(reason) => JournalError::Unavailable(reason.clone()),
                error => error.clone(),
            },
        }
    }
}

/// The error of requests while a file of the store cannot be used.
pub(crate) fn unavailable(kind: io::ErrorKind) -> JournalError {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => JournalError::Full,
        kind => JournalError::Unavailable(kind.to_string()),
    }
}

/// Whether an error means that the file is corrupt or not a database at all.
pub(crate) fn is_corrupt(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Converts an error of the database.
pub(crate) fn journal_error(error: rusqlite::Error) -> JournalError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => JournalError::Locked,
        Some(ErrorCode::DiskFull) => JournalError::Full,
        _ => JournalError::Failed(error.to_string()),
    }
}

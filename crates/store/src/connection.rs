//! Opening the database: settings that survive a kill, and what to do with a broken file.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rusqlite::Connection;

use crate::{
    error::{OpenError, is_corrupt, journal_error},
    schema,
};

/// How long another process may hold the store before that is an error.
const BUSY: Duration = Duration::from_secs(2);
/// How much of the write-ahead log stays on disk between checkpoints.
const LOG_BYTES: i64 = 8 * 1024 * 1024;

/// What a commit survives once it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Survives {
    /// That its process is killed; only a machine that loses power may lose the last moments.
    Kill,
    /// That the machine loses power, too. Each commit waits for the disk.
    PowerLoss,
}

/// Opens the database, bringing it up to date. A broken file is moved aside; where to is answered.
pub(crate) fn open(
    path: &Path,
    survives: Survives,
) -> Result<(Connection, Option<PathBuf>), OpenError> {
    match attempt(path, survives) {
        Err(Refused::Broken(error)) => {
            let aside = move_aside(path)
                .map_err(|error| OpenError::Folder { path: path.to_owned(), error })?;
            tracing::error!(%error, aside = %aside.display(), "the store was broken; it was moved aside and a new one is used");
            attempt(path, survives)
                .map(|connection| (connection, Some(aside)))
                .map_err(|refused| refused.into_error(path))
        }
        result => {
            result.map(|connection| (connection, None)).map_err(|refused| refused.into_error(path))
        }
    }
}

enum Refused {
    Broken(rusqlite::Error),
    TooNew(i64),
    Other(rusqlite::Error),
}

impl Refused {
    fn into_error(self, path: &Path) -> OpenError {
        let path = path.to_owned();
        match self {
            Self::TooNew(found) => OpenError::TooNew { path, found },
            Self::Broken(error) | Self::Other(error) => {
                OpenError::Store { path, error: journal_error(error) }
            }
        }
    }
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        if is_corrupt(&error) { Self::Broken(error) } else { Self::Other(error) }
    }
}

fn attempt(path: &Path, survives: Survives) -> Result<Connection, Refused> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let synchronous = match survives {
        Survives::Kill => "NORMAL",
        Survives::PowerLoss => "FULL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
    connection.set_prepared_statement_cache_capacity(64);
    schema::migrate(&mut connection)?.map_err(Refused::TooNew)?;
    Ok(connection)
}

/// Moves the database and what belongs to it out of the way.
pub(crate) fn move_aside(path: &Path) -> std::io::Result<PathBuf> {
    let now =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    let aside = with_suffix(path, &format!(".broken-{now}"));
    fs::rename(path, &aside)?;
    for suffix in ["-wal", "-shm"] {
        // They are not there if the last server ended well.
        let _ = fs::rename(with_suffix(path, suffix), with_suffix(&aside, suffix));
    }
    Ok(aside)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

//! Opens the database: durability settings, and recovery from a corrupt file.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

use rusqlite::Connection;

use crate::{
    error::{OpenError, is_corrupt, journal_error},
    schema,
};

/// How often a lock of another process is tried again, about 5 s in all. A writer commits within
/// milliseconds, but with a hundred writers the last one waits for all others, and a slow disk can
/// take seconds for a commit. A call with an earlier deadline stops waiting then.
const MAX_BUSY_TRIES: i32 = 640;
/// Maximum pause between attempts. SQLite's own busy timeout pauses up to 100 ms, in which others
/// take the lock again and again.
const MAX_BUSY_PAUSE: Duration = Duration::from_millis(8);
/// The size to which a checkpoint truncates the write-ahead log. SQLite reuses the log without
/// shrinking it, so one large transaction would occupy the disk forever.
const WAL_BYTES: i64 = 8 * 1024 * 1024;

/// The events after which a committed transaction is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// The process is killed. A power failure may lose the most recent commits, but never corrupts
    /// the file.
    ProcessKill,
    /// The machine loses power. Each commit waits for the disk.
    PowerLoss,
}

/// Opens the database and migrates it. A corrupt file is moved aside; its new path is returned.
pub(crate) fn open(
    path: &Path,
    durability: Durability,
) -> Result<(Connection, Option<PathBuf>), OpenError> {
    match try_open(path, durability) {
        Err(TryOpenError::Corrupt(error)) => {
            let aside = move_aside(path)
                .map_err(|error| OpenError::Folder { path: path.to_owned(), error })?;
            tracing::error!(%error, aside = %aside.display(), "the store was corrupt; it was moved aside and a new one is used");
            // Tried only once more: a new file that is corrupt as well means a broken disk, which
            // is reported.
            try_open(path, durability)
                .map(|connection| (connection, Some(aside)))
                .map_err(|error| error.into_open_error(path))
        }
        result => {
            result.map(|connection| (connection, None)).map_err(|error| error.into_open_error(path))
        }
    }
}

enum TryOpenError {
    Corrupt(rusqlite::Error),
    TooNew(i64),
    Other(rusqlite::Error),
}

impl TryOpenError {
    fn into_open_error(self, path: &Path) -> OpenError {
        let path = path.to_owned();
        match self {
            Self::TooNew(found) => OpenError::TooNew { path, found },
            Self::Corrupt(error) | Self::Other(error) => {
                OpenError::Store { path, error: journal_error(error) }
            }
        }
    }
}

impl From<rusqlite::Error> for TryOpenError {
    fn from(error: rusqlite::Error) -> Self {
        if is_corrupt(&error) { Self::Corrupt(error) } else { Self::Other(error) }
    }
}

fn try_open(path: &Path, durability: Durability) -> Result<Connection, TryOpenError> {
    let mut connection = Connection::open(path)?;
    connection.busy_handler(Some(pause_while_busy))?;
    // With a write-ahead log, readers do not block the writer and the writer does not block
    // readers, across threads and servers. The state folder is on a local disk, which the log
    // requires.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // NORMAL syncs only at checkpoints. A commit is then in the page cache of the kernel, which
    // survives the process but not the machine.
    let synchronous = match durability {
        Durability::ProcessKill => "NORMAL",
        Durability::PowerLoss => "FULL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "journal_size_limit", WAL_BYTES)?;
    // Enough for all fixed statements; only lists with unusual filters are compiled again.
    connection.set_prepared_statement_cache_capacity(64);
    schema::migrate(&mut connection)?.map_err(TryOpenError::TooNew)?;
    Ok(connection)
}

/// Pauses before a lock is tried again. Returns false to give up.
fn pause_while_busy(tries: i32) -> bool {
    thread::sleep(Duration::from_millis(tries.unsigned_abs().into()).min(MAX_BUSY_PAUSE));
    tries < MAX_BUSY_TRIES
}

/// Renames the database and its log files, so that a person can still examine them.
pub(crate) fn move_aside(path: &Path) -> std::io::Result<PathBuf> {
    let now =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    // The time in the name keeps an earlier one from being overwritten.
    let aside = with_suffix(path, &format!(".broken-{now}"));
    fs::rename(path, &aside)?;
    // A log that stayed would be applied to the new database. It does not exist if the last server
    // exited normally.
    for suffix in ["-wal", "-shm"] {
        let _ = fs::rename(with_suffix(path, suffix), with_suffix(&aside, suffix));
    }
    Ok(aside)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

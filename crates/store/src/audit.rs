//! The audit log: an append-only file of JSON lines, which is rotated when it is long.
//!
//! It is not in the database, so that a corrupt or full database cannot lose it, and so that
//! ordinary tools can read it.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use parking_lot::Mutex;
use runtime::{AuditLine, journal::JournalError};
use serde::Deserialize;

use crate::server_lock::is_same_file;

const NAME: &str = "audit.jsonl";
/// Maximum size of a file before it is rotated, in bytes. It is less if the limit of the log is
/// small.
const MAX_FILE_BYTES: u64 = 16 << 20;
/// Minimum number of files that the log is split into, so that removing the oldest file loses only
/// a small part.
const MIN_FILES: u64 = 8;

/// Limits on the age and size of the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRetention {
    /// Older lines are removed, at most an eighth of this time late.
    pub age: Duration,
    /// The oldest lines are removed when the log has about this many bytes.
    pub bytes: u64,
}

impl Default for LogRetention {
    fn default() -> Self {
        Self { age: Duration::from_secs(90 * 86_400), bytes: 256 << 20 }
    }
}

impl LogRetention {
    fn file_bytes(&self) -> u64 {
        (self.bytes / MIN_FILES).min(MAX_FILE_BYTES)
    }
}

/// The audit log of a crib. Several servers may append to the same file.
pub(crate) struct AuditLog {
    folder: PathBuf,
    retention: LogRetention,
    file: Mutex<Option<File>>,
}

impl AuditLog {
    /// The file is created with the first line.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, retention: LogRetention::default(), file: Mutex::default() }
    }

    pub(crate) fn set_retention(&mut self, retention: LogRetention) {
        self.retention = retention;
    }

    /// Appends lines in one write, so that the lines of several servers do not interleave.
    pub(crate) fn append(&self, lines: &[AuditLine]) -> Result<(), JournalError> {
        // Serialized before the lock is taken, so that other threads wait only for the write.
        let mut text = Vec::with_capacity(lines.len() * 256);
        for line in lines {
            serde_json::to_writer(&mut text, line)
                .map_err(|error| JournalError::Failed(error.to_string()))?;
            text.push(b'\n');
        }
        let mut file = self.file.lock();
        self.write(&mut file, &text).map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => JournalError::Full,
            _ => JournalError::Failed(format!("the audit log could not be written: {error}")),
        })
    }

    fn write(&self, file: &mut Option<File>, text: &[u8]) -> io::Result<()> {
        let path = self.folder.join(NAME);
        // Another server may have rotated the file since it was opened.
        if file.as_ref().is_some_and(|file| !is_same_file(file, &path)) {
            *file = None;
        }
        let open = match file {
            Some(open) => open,
            None => {
                // Its folder may have been removed.
                DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
                file.insert(OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?)
            }
        };
        // `O_APPEND` makes the kernel seek and write atomically, so no lock between processes is
        // needed.
        open.write_all(text)?;
        if open.metadata()?.len() > self.retention.file_bytes() {
            // Closed first: the next line must go to a new file, not to the renamed one.
            *file = None;
            self.rotate(&path)?;
        }
        Ok(())
    }

    /// Removes lines that are too old. Only whole files can be removed, so the current file is
    /// rotated before its first line is much older than its last one.
    pub(crate) fn prune(&self) {
        let path = self.folder.join(NAME);
        let is_old = first_time(&path).is_some_and(|time| {
            time.elapsed().is_ok_and(|age| age > self.retention.age / MIN_FILES as u32)
        });
        // Holding the lock prevents this server from writing to the renamed file.
        let mut file = self.file.lock();
        let pruned = if is_old {
            *file = None;
            self.rotate(&path)
        } else {
            self.remove_surplus()
        };
        if let Err(error) = pruned {
            tracing::warn!(%error, "old lines of the audit log could not be removed");
        }
    }

    fn rotate(&self, path: &Path) -> io::Result<()> {
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default()
            .as_micros();
        // Two servers may rotate at the same moment. The second one then moves a file that has just
        // begun, or finds none; the lines are in one of the files in either case.
        ignore_missing(fs::rename(path, self.folder.join(format!("audit-{now:020}.jsonl"))))?;
        self.remove_surplus()
    }

    /// Removes rotated files that are too old or too many.
    fn remove_surplus(&self) -> io::Result<()> {
        let mut bytes = self.retention.file_bytes();
        for path in rotated_files(&self.folder).iter().rev() {
            let Ok(metadata) = fs::metadata(path) else { continue };
            bytes += metadata.len();
            let age = metadata.modified()?.elapsed().unwrap_or_default();
            if bytes > self.retention.bytes || age > self.retention.age {
                ignore_missing(fs::remove_file(path))?;
            }
        }
        Ok(())
    }
}

/// The rotated files of the log in a folder, oldest first.
fn rotated_files(folder: &Path) -> Vec<PathBuf> {
    let names = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let mut rotated: Vec<_> =
        names.filter(|name| name.starts_with("audit-") && name.ends_with(".jsonl")).collect();
    // Sorts by time: the names contain it with a fixed number of digits.
    rotated.sort_unstable();
    rotated.iter().map(|name| folder.join(name)).collect()
}

/// The files of the audit log in a state folder, oldest first. The last path is that of the current
/// file, which may not exist yet.
pub fn audit_files(folder: &Path) -> Vec<PathBuf> {
    rotated_files(folder).into_iter().chain([folder.join(NAME)]).collect()
}

/// The time of the first line of a file.
fn first_time(path: &Path) -> Option<SystemTime> {
    #[derive(Deserialize)]
    struct Timed {
        time_ms: u64,
    }
    let mut line = String::new();
    BufReader::new(File::open(path).ok()?).take(1 << 20).read_line(&mut line).ok()?;
    let Timed { time_ms } = serde_json::from_str(&line).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(time_ms))
}

/// Another server may have renamed or removed the file first.
fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::Path,
        time::{Duration, SystemTime},
    };

    use runtime::{AuditLine, operation::Owner};

    use super::{AuditLog, LogRetention, audit_files};

    fn line() -> AuditLine {
        AuditLine {
            time: SystemTime::UNIX_EPOCH,
            owner: Owner("a".to_owned()),
            tool: "t".to_owned(),
            tool_digest: String::new(),
            arguments_digest: String::new(),
            request: None,
            decision: "allow",
            by: None,
            approval: None,
            operation: None,
            sandbox: None,
            outcome: "ok".to_owned(),
            duration_ms: 1,
            call: None,
        }
    }

    fn log(folder: &Path, bytes: u64) -> AuditLog {
        let mut log = AuditLog::new(folder.to_owned());
        log.set_retention(LogRetention { bytes, ..LogRetention::default() });
        log
    }

    fn read(folder: &Path) -> String {
        audit_files(folder).iter().filter_map(|file| fs::read_to_string(file).ok()).collect()
    }

    #[test]
    fn rotation_loses_no_line_of_two_servers() {
        let folder = tempfile::tempdir().expect("a folder");
        let logs = [log(folder.path(), 16_000), log(folder.path(), 16_000)];
        for log in logs.iter().cycle().take(60) {
            log.append(&[line()]).expect("written");
        }
        let text = read(folder.path());
        assert!(audit_files(folder.path()).len() > 2);
        assert_eq!(text.lines().count(), 60);
        assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    }

    #[test]
    fn the_log_stays_within_its_size() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = log(folder.path(), 8_000);
        for _ in 0..500 {
            log.append(&[line()]).expect("written");
        }
        let size = read(folder.path()).len();
        assert!((5_000..9_000).contains(&size), "{size}");
    }

    #[test]
    fn old_lines_are_removed_and_newer_ones_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = log(folder.path(), 1 << 20);
        log.append(&[line()]).expect("written");
        log.prune();
        let files = audit_files(folder.path());
        assert_eq!(files.len(), 2, "a line of 1970 is old, so its file was rotated");
        assert_eq!(read(folder.path()).lines().count(), 1, "but it was written just now");
        let old = SystemTime::now() - Duration::from_secs(91 * 86_400);
        fs::File::options()
            .write(true)
            .open(&files[0])
            .and_then(|file| file.set_modified(old))
            .expect("an old file");
        log.append(&[AuditLine { time: SystemTime::now(), ..line() }]).expect("written");
        log.prune();
        assert_eq!(audit_files(folder.path()).len(), 1);
        assert_eq!(read(folder.path()).lines().count(), 1);
    }
}

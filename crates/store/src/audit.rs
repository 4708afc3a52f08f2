//! The audit log: an append-only file of JSON lines, which is rotated when it is long.
//!
//! It is not in the database, so that a corrupt or full database cannot lose it, and so that ordinary
//! tools can read it.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

use parking_lot::Mutex;
use runtime::{AuditLine, journal::JournalError};

use crate::server_lock::is_same_file;

const NAME: &str = "audit.jsonl";
/// The size in bytes after which the file is rotated.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The maximum number of rotated files.
const MAX_ROTATED: usize = 15;

/// The audit log of a crib. Several servers may append to the same file.
pub(crate) struct AuditLog {
    folder: PathBuf,
    max_bytes: u64,
    file: Mutex<Option<File>>,
}

impl AuditLog {
    /// The file is created with the first line.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, max_bytes: MAX_BYTES, file: Mutex::default() }
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
        if open.metadata()?.len() > self.max_bytes {
            // Closed first: the next line must go to a new file, not to the renamed one.
            *file = None;
            self.rotate(&path)?;
        }
        Ok(())
    }

    fn rotate(&self, path: &Path) -> io::Result<()> {
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default()
            .as_micros();
        // Two servers may rotate at the same moment. The second one then moves a file that has just
        // begun, or finds none; the lines are in one of the files in either case.
        fs::rename(path, self.folder.join(format!("audit-{now:020}.jsonl")))?;
        let names = fs::read_dir(&self.folder)?
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok());
        let mut rotated: Vec<_> =
            names.filter(|name| name.starts_with("audit-") && name.ends_with(".jsonl")).collect();
        // Newest first: the names contain the time with a fixed number of digits.
        rotated.sort_unstable_by(|a, b| b.cmp(a));
        for name in rotated.iter().skip(MAX_ROTATED) {
            fs::remove_file(self.folder.join(name))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, time::SystemTime};

    use runtime::{AuditLine, operation::Owner};

    use super::AuditLog;

    #[test]
    fn rotation_loses_no_line_of_two_servers() {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let line = AuditLine {
            time: SystemTime::UNIX_EPOCH,
            owner: Owner("a".to_owned()),
            tool: "t".to_owned(),
            tool_digest: String::new(),
            arguments_digest: String::new(),
            decision: "allow",
            by: None,
            approval: None,
            operation: None,
            sandbox: None,
            outcome: "ok".to_owned(),
            duration_ms: 1,
            call: None,
        };
        let first = AuditLog { max_bytes: 2000, ..AuditLog::new(folder.path().to_owned()) };
        let second = AuditLog { max_bytes: 2000, ..AuditLog::new(folder.path().to_owned()) };
        for _ in 0..30 {
            first.append(std::slice::from_ref(&line)).unwrap_or_else(|error| panic!("{error}"));
            second.append(std::slice::from_ref(&line)).unwrap_or_else(|error| panic!("{error}"));
        }
        let files: Vec<_> = fs::read_dir(folder.path())
            .unwrap_or_else(|error| panic!("{error}"))
            .flatten()
            .collect();
        let text: String =
            files.iter().filter_map(|file| fs::read_to_string(file.path()).ok()).collect();
        assert!(files.len() > 2);
        assert_eq!(text.lines().count(), 60);
        assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    }
}

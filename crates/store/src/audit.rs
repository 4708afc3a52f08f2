//! The audit: lines of JSON in a file that only grows, and makes way for another when it is long.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

use parking_lot::Mutex;
use runtime::{AuditLine, journal::JournalError};

const NAME: &str = "audit.jsonl";
/// The longest file, about.
const LONGEST: u64 = 16 * 1024 * 1024;
/// The most older files that are kept.
const OLDER: usize = 15;

/// The file of audit lines. Several servers may write to one.
pub(crate) struct Audit {
    folder: PathBuf,
    longest: u64,
    file: Mutex<Option<File>>,
}

impl Audit {
    /// Nothing is touched before the first line.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, longest: LONGEST, file: Mutex::default() }
    }

    /// Adds lines, all of them in one write, so that those of several servers do not mix.
    pub(crate) fn add(&self, lines: &[AuditLine]) -> Result<(), JournalError> {
        let mut text = Vec::with_capacity(lines.len() * 256);
        for line in lines {
            serde_json::to_writer(&mut text, line)
                .map_err(|error| JournalError::Failed(error.to_string()))?;
            text.push(b'\n');
        }
        let mut file = self.file.lock();
        self.write(&mut file, &text).map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => JournalError::Full,
            _ => JournalError::Failed(format!("the audit could not be written: {error}")),
        })
    }

    fn write(&self, file: &mut Option<File>, text: &[u8]) -> io::Result<()> {
        let path = self.folder.join(NAME);
        // Another server may have put a new file in its place.
        if file.as_ref().is_some_and(|file| !is_at(file, &path)) {
            *file = None;
        }
        let open = match file {
            Some(open) => open,
            None => {
                file.insert(OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?)
            }
        };
        open.write_all(text)?;
        if open.metadata()?.len() > self.longest {
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
        fs::rename(path, self.folder.join(format!("audit-{now:020}.jsonl")))?;
        let names = fs::read_dir(&self.folder)?
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok());
        let mut older: Vec<_> =
            names.filter(|name| name.starts_with("audit-") && name.ends_with(".jsonl")).collect();
        older.sort_unstable_by(|a, b| b.cmp(a));
        for name in older.iter().skip(OLDER) {
            fs::remove_file(self.folder.join(name))?;
        }
        Ok(())
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(there)) => (open.dev(), open.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, time::SystemTime};

    use runtime::{AuditLine, operation::Owner};

    use super::Audit;

    #[test]
    fn a_long_file_makes_way_and_no_line_is_lost() {
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
            outcome: "ok".to_owned(),
            duration_ms: 1,
        };
        let first = Audit { longest: 2000, ..Audit::new(folder.path().to_owned()) };
        let second = Audit { longest: 2000, ..Audit::new(folder.path().to_owned()) };
        for _ in 0..30 {
            first.add(std::slice::from_ref(&line)).unwrap_or_else(|error| panic!("{error}"));
            second.add(std::slice::from_ref(&line)).unwrap_or_else(|error| panic!("{error}"));
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

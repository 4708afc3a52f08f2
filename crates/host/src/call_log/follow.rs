//! Follows the audit log while servers append to it.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use store::audit_files;

use super::{LogFilter, LogRecord, join::Joiner, line::Line, read_lines};

/// Reads lines as they are appended to the log of a crib.
pub struct LogFollower {
    path: PathBuf,
    file: Option<File>,
    /// An incomplete line at the end of the file.
    partial: Vec<u8>,
    joiner: Joiner,
}

impl LogFollower {
    /// Follows the log of the crib with this state folder from its current end on.
    pub fn new(state: &Path) -> Self {
        let path = audit_files(state).pop().unwrap_or_default();
        let mut joiner = Joiner::default();
        let mut file = File::open(&path).ok();
        if let Some(file) = &mut file {
            // Running calls end later, but their arguments are in lines that were already written.
            read_lines(&path).iter().for_each(|line| drop(joiner.add(line)));
            let _ = file.seek(SeekFrom::End(0));
        }
        Self { path, file, partial: Vec::new(), joiner }
    }

    /// Returns the selected records that were completed, and operations that were started, since
    /// the last poll.
    pub fn poll(&mut self, filter: &LogFilter) -> Vec<LogRecord> {
        let mut lines = self.read_new();
        if self.is_rotated() {
            // Lines may have been appended to the old file after its last poll.
            lines.extend(self.read_new());
            self.file = File::open(&self.path).ok();
            self.partial.clear();
            lines.extend(self.read_new());
        }
        let mut records = Vec::new();
        for line in lines {
            records.extend(self.joiner.add(&line));
            records.extend(self.joiner.find_started(&line).cloned());
        }
        records.retain(|record| filter.includes(record));
        records
    }

    /// Whether the open file has been rotated.
    fn is_rotated(&self) -> bool {
        let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let current = fs::metadata(&self.path).ok().map(id);
        let open = self.file.as_ref().and_then(|file| file.metadata().ok()).map(id);
        // After a rotation, the file is missing until the next line is written.
        current.is_some() && current != open
    }

    fn read_new(&mut self) -> Vec<Line> {
        if let Some(file) = &mut self.file {
            // Bytes that were read before an error are used.
            let _ = file.read_to_end(&mut self.partial);
        }
        let end = self.partial.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = self.partial.split_off(end);
        let complete = std::mem::replace(&mut self.partial, rest);
        complete.split(|byte| *byte == b'\n').filter_map(Line::parse).collect()
    }
}

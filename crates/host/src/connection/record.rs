//! Records of connections, from which a client's file is restored.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use atomic_file::Access;
use serde::{Deserialize, Serialize};

/// The data for restoring a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FileBackup {
    version: u32,
    file: PathBuf,
    /// The text without the entry; `None` if the file did not exist.
    pub(super) before: Option<String>,
    /// The text that was written; `None` if undoing another connection removed the file.
    pub(super) after: Option<String>,
    /// Folders that were created for the file, the innermost first.
    pub(super) folders: Vec<PathBuf>,
}

impl FileBackup {
    pub(super) fn new(
        file: &Path,
        before: Option<String>,
        after: Option<String>,
        folders: Vec<PathBuf>,
    ) -> Self {
        Self { version: 1, file: file.to_owned(), before, after, folders }
    }

    /// Reads the record at a path, if it is about this file.
    pub(super) fn read(path: &Path, file: &Path) -> Option<Self> {
        let record: Self = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (record.file == file).then_some(record)
    }

    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_vec(self).expect("it has only texts and numbers");
        // The text may contain secrets of other servers.
        atomic_file::replace(path, &text, Access::OwnerOnly)
    }
}

/// The records of other entries in the same file: of other servers, or of clients that share the file.
pub(super) fn read_others(own: &Path, file: &Path) -> Vec<(PathBuf, FileBackup)> {
    let entries = own.parent().and_then(|folder| fs::read_dir(folder).ok());
    let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let others = paths.filter(|path| path != own);
    others.filter_map(|path| FileBackup::read(&path, file).map(|record| (path, record))).collect()
}

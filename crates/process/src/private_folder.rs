//! Private temporary folders, one for each running command.
//!
//! Creating and removing a folder can take longer than a short program runs, so a folder that was
//! left empty is reused. Only commands with the same label share folders, so that one tool cannot
//! observe another through a recycled folder.
//!
//! Folders are removed in the background, so that no result waits for it. The process must not exit
//! before that is done: [`wait_for_cleanup`].

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use parking_lot::{Condvar, Mutex};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::random_id::random_id;

/// The most empty folders that are kept for reuse.
const SPARES: usize = 32;
const OWNER_ONLY: u32 = 0o700;

/// How many private folders this process has created and not yet removed. One number for the
/// whole process, because exiting it would leave them behind.
static LIVE: Mutex<usize> = Mutex::new(0);
static REMOVED: Condvar = Condvar::new();

/// Waits until every private folder of this process is removed, at most for `limit`; returns
/// whether none is left. Call it before the process exits, once all launchers are dropped.
pub fn wait_for_cleanup(limit: Duration) -> bool {
    !REMOVED.wait_while_for(&mut LIVE.lock(), |live| *live > 0, limit).timed_out()
}

/// Creates private folders and recycles empty ones.
pub(crate) struct FolderPool {
    parent: PathBuf,
    spares: Mutex<Vec<PrivateFolder>>,
}

impl FolderPool {
    pub(crate) fn new(parent: PathBuf) -> Self {
        Self { parent, spares: Mutex::default() }
    }

    /// A folder for a command with this label that contains exactly `files` (name and content).
    pub(crate) fn take(
        &self,
        label: &str,
        files: &[(String, String)],
    ) -> io::Result<PrivateFolder> {
        let spare = self.take_spare(label).filter(PrivateFolder::is_pristine);
        let folder = spare.map_or_else(|| PrivateFolder::create(&self.parent, label), Ok)?;
        folder.fill(files)?;
        Ok(folder)
    }

    /// A new folder at `path` that contains exactly `files`. Fails if the path exists.
    pub(crate) fn create_at(
        &self,
        path: &Path,
        label: &str,
        files: &[(String, String)],
    ) -> io::Result<PrivateFolder> {
        let folder = PrivateFolder::create_at(path.to_owned(), label)?;
        folder.fill(files)?;
        Ok(folder)
    }

    /// Keeps an empty folder for reuse. Returns a folder that cannot be reused (or an older one that
    /// must make room); dropping it deletes its content, which may take long.
    pub(crate) fn give_back(&self, folder: PrivateFolder) -> Option<PrivateFolder> {
        if !folder.is_pristine() {
            return Some(folder);
        }
        let mut spares = self.spares.lock();
        spares.push(folder);
        (spares.len() > SPARES).then(|| spares.remove(0))
    }

    fn take_spare(&self, label: &str) -> Option<PrivateFolder> {
        let mut spares = self.spares.lock();
        let found = spares.iter().rposition(|folder| folder.label == label)?;
        Some(spares.remove(found))
    }
}

/// A folder that only its owner can enter. Dropping it deletes it with its content.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
    label: String,
}

impl PrivateFolder {
    /// A new empty folder in `parent`, with a random name. The label is for recycling only.
    pub fn create(parent: &Path, label: &str) -> io::Result<Self> {
        Self::create_at(parent.join(format!("toolcrib-{}", random_id()?)), label)
    }

    fn create_at(path: PathBuf, label: &str) -> io::Result<Self> {
        DirBuilder::new().mode(OWNER_ONLY).create(&path)?;
        *LIVE.lock() += 1;
        Ok(Self { path, label: label.to_owned() })
    }

    fn fill(&self, files: &[(String, String)]) -> io::Result<()> {
        for (name, content) in files {
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(self.path.join(name))?;
            file.write_all(content.as_bytes())?;
        }
        Ok(())
    }

    /// Creates named pipes that only the owner can open.
    pub(crate) fn add_pipes(&self, names: &[String]) -> io::Result<()> {
        for name in names {
            mknodat(CWD, self.path.join(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        }
        Ok(())
    }

    /// Its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it if it is empty, which is fast; else returns it.
    pub(crate) fn remove_empty(self) -> Result<(), Self> {
        fs::remove_dir(&self.path).map_err(|_| self)
    }

    /// Whether it still exists, is empty and is accessible to its owner only.
    fn is_pristine(&self) -> bool {
        let is_private = fs::symlink_metadata(&self.path)
            .is_ok_and(|found| found.is_dir() && found.mode() & 0o777 == OWNER_ONLY);
        is_private && fs::read_dir(&self.path).is_ok_and(|mut entries| entries.next().is_none())
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
        *LIVE.lock() -= 1;
        REMOVED.notify_all();
    }
}

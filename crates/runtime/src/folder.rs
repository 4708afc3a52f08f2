//! Private temporary folders, one for each call.
//!
//! Making and removing a folder can take longer than a short program runs, so one that a call left
//! empty is used again, for the same tool only: no tool finds out what another does.
//!
//! Folders are removed in the background, so that no answer waits for it. The process must not exit
//! before that is done: [`wait_for_cleanup`].

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use parking_lot::{Condvar, Mutex, MutexGuard};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::outputs::random_id;

/// The most folders that are kept for later calls.
const SPARES: usize = 32;
const OWNER_ONLY: u32 = 0o700;

/// How many private folders this process has made and not yet removed. It is one number for the
/// whole process, because it is the process whose exit would leave them behind.
static LIVE: Mutex<usize> = Mutex::new(0);
static REMOVED: Condvar = Condvar::new();

/// Waits until every private folder of this process is removed, and returns whether that is so
/// within `limit`. To be called before the process exits, once all runtimes are dropped.
pub fn wait_for_cleanup(limit: Duration) -> bool {
    !REMOVED.wait_while_for(&mut LIVE.lock(), |live| *live > 0, limit).timed_out()
}

/// Where private folders are made.
pub(crate) struct Folders {
    parent: PathBuf,
    spares: Mutex<Vec<PrivateFolder>>,
}

impl Folders {
    /// Nothing is made yet.
    pub(crate) fn new(parent: PathBuf) -> Self {
        Self { parent, spares: Mutex::default() }
    }

    /// A folder for a call of `tool`, with nothing in it but `files`, by name and content.
    pub(crate) fn take(&self, tool: &str, files: &[(String, String)]) -> io::Result<PrivateFolder> {
        let spare = self.spare(tool).filter(PrivateFolder::is_pristine);
        let folder = spare.map_or_else(|| PrivateFolder::create(&self.parent, tool), Ok)?;
        folder.fill(files)?;
        Ok(folder)
    }

    /// The folder `path` for a call of `tool`, new, with nothing in it but `files`.
    pub(crate) fn make(
        &self,
        path: &Path,
        tool: &str,
        files: &[(String, String)],
    ) -> io::Result<PrivateFolder> {
        let folder = PrivateFolder::create_at(path.to_owned(), tool)?;
        folder.fill(files)?;
        Ok(folder)
    }

    /// Takes a folder back whose call is over. One that cannot be used again is returned; dropping
    /// it may take long.
    pub(crate) fn give_back(&self, folder: PrivateFolder) -> Option<PrivateFolder> {
        if !folder.is_pristine() {
            return Some(folder);
        }
        let mut spares = self.spares();
        spares.push(folder);
        (spares.len() > SPARES).then(|| spares.remove(0))
    }

    fn spare(&self, tool: &str) -> Option<PrivateFolder> {
        let mut spares = self.spares();
        let found = spares.iter().rposition(|folder| folder.tool == tool)?;
        Some(spares.remove(found))
    }

    fn spares(&self) -> MutexGuard<'_, Vec<PrivateFolder>> {
        self.spares.lock()
    }
}

/// A folder that only its owner can enter, removed with all that is in it when dropped.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    path: PathBuf,
    tool: String,
}

impl PrivateFolder {
    fn create(parent: &Path, tool: &str) -> io::Result<Self> {
        Self::create_at(parent.join(format!("toolcrib-{}", random_id()?)), tool)
    }

    fn create_at(path: PathBuf, tool: &str) -> io::Result<Self> {
        DirBuilder::new().mode(OWNER_ONLY).create(&path)?;
        *LIVE.lock() += 1;
        Ok(Self { path, tool: tool.to_owned() })
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

    /// Makes named pipes in it, for its owner only.
    pub(crate) fn add_pipes(&self, names: &[String]) -> io::Result<()> {
        for name in names {
            mknodat(CWD, self.path.join(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        }
        Ok(())
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it right away, which is fast if it is empty; else it is returned.
    pub(crate) fn remove_empty(self) -> Result<(), Self> {
        fs::remove_dir(&self.path).map_err(|_| self)
    }

    /// Whether it is as good as new: there, empty, and still its owner's alone.
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

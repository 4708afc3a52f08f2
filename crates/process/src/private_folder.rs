//! Private temporary folders, one for each running command.
//!
//! Creating and removing a folder can take longer than a short program runs, so a folder that was
//! left empty is reused. Only commands with the same label share folders, so that one tool cannot
//! observe another through a recycled folder.
//!
//! Folders are removed in the background, so that no result waits for it. The process must not exit
//! before that is done: [`wait_for_cleanup`]. A process that is killed leaves its folders; each is
//! locked by its process, so that the next server recognizes them: [`remove_abandoned_folders`].

use std::{
    ffi::OsStr,
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use parking_lot::{Condvar, Mutex};
use rustix::{
    fd::OwnedFd,
    fs::{FlockOperation, Mode, OFlags, flock, fstat, open, stat},
    process::getuid,
};

use crate::random_id::random_id;

/// Maximum number of empty folders that are kept for reuse.
const SPARES: usize = 32;
const OWNER_ONLY: u32 = 0o700;

/// The prefix of the names of private folders.
const PREFIX: &str = "toolcrib-";
/// The shortest id that follows the prefix: 128 random bits, as letters and digits. Folders with other
/// names, such as `toolcrib-state`, are not private folders.
const MIN_ID: usize = 26;

/// Number of private folders that this process has created and not yet removed. One number for the
/// whole process, because exiting it would leave them behind.
static LIVE: Mutex<usize> = Mutex::new(0);
static REMOVED: Condvar = Condvar::new();

/// Waits until every private folder of this process is removed, at most for `limit`; returns
/// whether none is left. Call it before the process exits, once all launchers are dropped.
pub fn wait_for_cleanup(limit: Duration) -> bool {
    !REMOVED.wait_while_for(&mut LIVE.lock(), |live| *live > 0, limit).timed_out()
}

/// Whether a path is in a private folder. Compares the text only, without resolving links.
pub fn is_private_folder(path: &Path) -> bool {
    path.iter().any(is_private_name)
}

fn is_private_name(name: &OsStr) -> bool {
    let id = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    id.is_some_and(|id| {
        let is_id_byte = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        id.len() >= MIN_ID && id.bytes().all(is_id_byte)
    })
}

/// Removes the private folders that dead processes of this user left in `parent`.
pub fn remove_abandoned_folders(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_private = is_private_name(&entry.file_name());
        // The lock is held during the removal, so that a concurrent server does not do it as well.
        if is_private && let Ok(Some(_lock)) = lock(&entry.path()) {
            remove_tree(&entry.path());
        }
    }
}

/// Removes a folder of a program. The program may have left folders that even their owner cannot enter.
pub(crate) fn remove_tree(path: &Path) {
    if fs::remove_dir_all(path).is_err() {
        make_removable(path);
        let _ = fs::remove_dir_all(path);
    }
}

fn make_removable(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(OWNER_ONLY));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        // Links are not followed, because their target may be anywhere.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_removable(&entry.path());
        }
    }
}

/// Locks a folder of this user; `None` if another process has locked it, or has removed it meanwhile.
fn lock(path: &Path) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = open(path, flags, Mode::empty())?;
    let found = fstat(&folder)?;
    let is_locked = flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok();
    // Checked after locking, because the former owner of the lock may have removed the folder, and
    // the name may belong to a new one.
    let is_same = stat(path).is_ok_and(|named| named.st_ino == found.st_ino);
    Ok((is_locked && is_same && found.st_uid == getuid().as_raw()).then_some(folder))
}

/// An error that names the folder for temporary files. It is never "not found", which would be taken
/// for a missing program.
fn create_error(path: &Path, error: &io::Error) -> io::Error {
    let kind = match error.kind() {
        io::ErrorKind::NotFound => io::ErrorKind::Other,
        kind => kind,
    };
    let parent = path.parent().unwrap_or(path).display();
    let message = format!(
        "cannot create a folder for temporary files in `{parent}`: {error}; make sure that you \
         can write to it, or set `TMPDIR` to another folder"
    );
    io::Error::new(kind, message)
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
    _lock: OwnedFd,
}

impl PrivateFolder {
    /// A new empty folder in `parent`, with a random name. The label is for recycling only.
    pub fn create(parent: &Path, label: &str) -> io::Result<Self> {
        Self::create_at(parent.join(format!("{PREFIX}{}", random_id()?)), label)
    }

    fn create_at(path: PathBuf, label: &str) -> io::Result<Self> {
        loop {
            let created = DirBuilder::new().mode(OWNER_ONLY).create(&path);
            created.map_err(|error| create_error(&path, &error))?;
            // A server that starts now may have taken it for an abandoned one before it was locked.
            if let Ok(Some(_lock)) = lock(&path) {
                *LIVE.lock() += 1;
                return Ok(Self { path, label: label.to_owned(), _lock });
            }
            let _ = fs::remove_dir(&path);
        }
    }

    fn fill(&self, files: &[(String, String)]) -> io::Result<()> {
        for (name, content) in files {
            // `create_new` follows no link: the program of an earlier call knew the path of a
            // recycled folder.
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(self.path.join(name))?;
            file.write_all(content.as_bytes())?;
        }
        Ok(())
    }

    /// Creates copies of programs and scripts, each in a folder of its own.
    pub(crate) fn add_copies(&self, copies: &[(String, Arc<[u8]>)]) -> io::Result<()> {
        for (name, content) in copies {
            let path = self.path.join(name);
            if let Some(parent) = path.parent() {
                DirBuilder::new().mode(OWNER_ONLY).create(parent)?;
            }
            let mut file =
                OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(path)?;
            file.write_all(content)?;
        }
        Ok(())
    }

    /// Creates named pipes that only the owner can open.
    pub(crate) fn add_pipes(&self, names: &[String]) -> io::Result<()> {
        for name in names {
            create_pipe(&self.path.join(name))?;
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

#[cfg(target_os = "linux")]
fn create_pipe(path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, FileType, mknodat};
    Ok(mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?)
}

#[cfg(not(target_os = "linux"))]
fn create_pipe(path: &Path) -> io::Result<()> {
    use nix::{sys::stat::Mode, unistd::mkfifo};
    Ok(mkfifo(path, Mode::S_IRUSR | Mode::S_IWUSR)?)
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        remove_tree(&self.path);
        *LIVE.lock() -= 1;
        REMOVED.notify_all();
    }
}

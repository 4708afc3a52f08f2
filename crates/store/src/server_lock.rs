//! A lock file for each server that has operations: proof that it runs, also for servers that
//! cannot see its process, such as one in a container and one outside that share a state folder.
//!
//! The kernel releases the lock when the process dies, in whichever way.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use parking_lot::Mutex;
use runtime::operation::ServerId;

const PREFIX: &str = "server-";
const SUFFIX: &str = ".lock";
/// How often the lock is tried.
const MAX_TRIES: usize = 20;
const PAUSE: Duration = Duration::from_millis(1);

/// The lock of this server in a state folder.
pub(crate) struct ServerLock {
    folder: PathBuf,
    /// Absent until the server has its first operation.
    held: Mutex<Option<File>>,
}

impl ServerLock {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, held: Mutex::default() }
    }

    /// Takes the lock, unless this server has it. Again if the file was removed: another server
    /// would find no lock.
    pub(crate) fn hold(&self) -> io::Result<()> {
        let path = self.path_of(&ServerId::current());
        let mut held = self.held.lock();
        if held.as_ref().is_some_and(|file| is_same_file(file, &path)) {
            return Ok(());
        }
        if held.is_none() {
            self.remove_stale();
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        for _ in 0..MAX_TRIES {
            let file = open_options().create(true).open(&path)?;
            match file.try_lock() {
                // Another server has taken the new file for a stale one and removed it.
                Ok(()) if !is_same_file(&file, &path) => *held = None,
                Ok(()) => {
                    *held = Some(file);
                    return Ok(());
                }
                // Another server looks whether it is held, for a moment.
                Err(TryLockError::WouldBlock) => {
                    *held = Some(file);
                    thread::sleep(PAUSE);
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        // The name is unique to this process, so another store of this process has the lock.
        held.as_ref().map(|_| ()).ok_or_else(|| io::ErrorKind::TimedOut.into())
    }

    /// Whether a server has its lock. If that cannot be found out, it counts as held.
    pub(crate) fn is_held_by(&self, server: &ServerId) -> bool {
        match open_options().open(self.path_of(server)) {
            Ok(file) => file.try_lock().is_err(),
            // A server takes the lock before its first operation and removes the file at its end.
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    /// Removes the files of servers that were killed.
    fn remove_stale(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()).filter(|path| is_lock(path)) {
            if let Ok(file) = open_options().open(&path)
                && file.try_lock().is_ok()
            {
                // Removed while locked: its server would notice, and take a new one.
                let _ = fs::remove_file(&path);
            }
        }
    }

    fn path_of(&self, server: &ServerId) -> PathBuf {
        let (process, boot) = (server.process, &server.boot);
        let namespace = server.namespace.unwrap_or_default();
        let name = format!("{boot}-{namespace}-{}-{}", process.pid, process.started);
        self.folder.join(format!("{PREFIX}{name}{SUFFIX}"))
    }
}

impl Drop for ServerLock {
    fn drop(&mut self) {
        if self.held.get_mut().is_some() {
            // While it is still locked, so that a stale file is never seen.
            let _ = fs::remove_file(self.path_of(&ServerId::current()));
        }
    }
}

fn open_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    options
}

fn is_lock(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
}

/// Whether an open file is still the one with this name.
pub(crate) fn is_same_file(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(current)) => (open.dev(), open.ino()) == (current.dev(), current.ino()),
        _ => false,
    }
}

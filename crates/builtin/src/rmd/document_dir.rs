//! The folder of documents, opened as a handle that no path or link leads out of. Files are written
//! atomically.

use std::{
    io::{self, ErrorKind, Read, Write},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use cap_std::fs::{Dir, Metadata, MetadataExt, OpenOptions};

use crate::open_dir;

/// Directory entries that are visited in a listing.
pub(super) const MAX_ENTRIES: usize = 20_000;

/// The prefix of temporary files; process id and counter follow.
const TEMPORARY_PREFIX: &str = ".toolcrib-";

/// The age after which a temporary file counts as abandoned.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// The folder of documents. Links are followed only inside it.
pub(super) struct DocumentDir(Dir);

/// A listed file.
pub(super) struct Found {
    /// Path relative to the folder, separated by `/`.
    pub(super) path: String,
    pub(super) size: u64,
    pub(super) version: Version,
}

/// Identifies a version of a file. Differs if the file was changed or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    size: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl DocumentDir {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        open_dir::open(path).map(Self)
    }

    pub(super) fn open_or_create(path: &Path) -> io::Result<Self> {
        open_dir::open_or_create(path).map(Self)
    }

    /// Reads the first bytes of a file.
    pub(super) fn head(&self, path: &str, bytes: u64) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        self.open_file(path)?.take(bytes).read_to_end(&mut head)?;
        Ok(head)
    }

    /// Reads a file of at most `max_bytes`.
    pub(super) fn read(&self, path: &str, max_bytes: u64) -> io::Result<Vec<u8>> {
        let file = self.open_file(path)?;
        let size = file.metadata()?.len();
        // Bounded even if the size fits, because the file may be growing.
        let mut bytes = Vec::new();
        if size <= max_bytes {
            file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        }
        if size > max_bytes || bytes.len() as u64 > max_bytes {
            return Err(io::Error::new(
                ErrorKind::FileTooLarge,
                format!("it has {size} bytes; the maximum is {max_bytes}"),
            ));
        }
        Ok(bytes)
    }

    fn open_file(&self, path: &str) -> io::Result<cap_std::fs::File> {
        let is_link = || self.0.symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        // Checked before it is opened: opening a FIFO blocks until a writer opens it.
        match self.0.metadata(path) {
            Ok(metadata) if metadata.is_file() => self.0.open(path),
            // Not listed, so it does not exist for readers either.
            Ok(_) => Err(io::Error::new(ErrorKind::NotFound, "it is not a regular file")),
            Err(_) if is_link() => Err(io::Error::new(ErrorKind::NotFound, "it is a broken link")),
            Err(error) => Err(error),
        }
    }

    pub(super) fn is_file(&self, path: &str) -> bool {
        self.0.is_file(path)
    }

    /// Creates a file atomically. Fails with `AlreadyExists` if there is one.
    pub(super) fn create(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (parent, name) = self.open_parent(path)?;
        let temporary = TemporaryFile::write(&parent, bytes, None)?;
        // A hard link fails if the name is taken; a rename would replace the file.
        match parent.hard_link(&temporary.name, &parent, name) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
            // On file systems without hard links, reserve the name and then replace the reservation.
            Err(_) => {
                parent.open_with(name, OpenOptions::new().write(true).create_new(true))?;
                temporary.rename(name)?;
            }
        }
        sync_dir(&parent);
        Ok(())
    }

    /// Creates or replaces a file atomically, keeping its permissions.
    pub(super) fn replace(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (parent, name) = self.open_parent(path)?;
        // A link is replaced by a file: following it could change the permissions of something
        // else.
        let before = parent.symlink_metadata(name).ok().filter(Metadata::is_file);
        TemporaryFile::write(&parent, bytes, before.as_ref())?.rename(name)?;
        sync_dir(&parent);
        Ok(())
    }

    /// Removes a file.
    pub(super) fn remove(&self, path: &str) -> io::Result<()> {
        self.0.remove_file(path)
    }

    /// Opens the parent folder of a path, creating it if needed, and returns the file name.
    fn open_parent<'p>(&self, path: &'p str) -> io::Result<(Dir, &'p str)> {
        match path.rsplit_once('/') {
            Some((folders, name)) => {
                let parent = self.0.open_dir(folders).or_else(|error| match error.kind() {
                    ErrorKind::NotFound => {
                        self.0.create_dir_all(folders).and_then(|()| self.0.open_dir(folders))
                    }
                    _ => Err(error),
                });
                Ok((parent?, name))
            }
            None => Ok((self.0.try_clone()?, path)),
        }
    }

    /// Lists the wanted files, sorted, and whether some may be missing. Names that begin with `.` are
    /// skipped. `is_wanted` is called for folders, with a trailing `/`, and for files.
    pub(super) fn files(
        &self,
        depth: usize,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> (Vec<Found>, bool) {
        let mut walk = Walk { found: Vec::new(), remaining: MAX_ENTRIES, is_wanted };
        walk.visit(&self.0, "", depth);
        walk.found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        (walk.found, walk.remaining == 0)
    }
}

/// A temporary file in the folder of its target, removed on drop.
struct TemporaryFile<'d> {
    parent: &'d Dir,
    name: String,
}

impl<'d> TemporaryFile<'d> {
    fn write(parent: &'d Dir, bytes: &[u8], like: Option<&Metadata>) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        remove_abandoned(parent);
        let (temporary, mut file) = loop {
            let name = format!(
                "{TEMPORARY_PREFIX}{}-{}",
                std::process::id(),
                NEXT.fetch_add(1, Ordering::Relaxed)
            );
            match parent.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
                Ok(file) => break (Self { parent, name }, file),
                // Left by a process that crashed.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
        file.write_all(bytes)?;
        if let Some(like) = like {
            file.set_permissions(like.permissions())?;
        }
        // Before the rename, so that a crash leaves the old or the new file, never an empty one.
        file.sync_all()?;
        Ok(temporary)
    }

    fn rename(&self, name: &str) -> io::Result<()> {
        self.parent.rename(&self.name, self.parent, name)
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        // Fails after a rename, when there is nothing to remove.
        let _ = self.parent.remove_file(&self.name);
    }
}

/// Removes temporary files of processes that crashed.
fn remove_abandoned(folder: &Dir) {
    for entry in folder.entries().into_iter().flatten().flatten() {
        let name = entry.file_name();
        let age = || {
            entry
                .metadata()
                .ok()
                .filter(Metadata::is_file)?
                .modified()
                .ok()?
                .into_std()
                .elapsed()
                .ok()
        };
        if name.to_str().is_some_and(is_temporary) && age().is_some_and(|age| age > ABANDONED_AFTER)
        {
            // Another process may have removed it.
            let _ = folder.remove_file(&name);
        }
    }
}

fn is_temporary(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = name.strip_prefix(TEMPORARY_PREFIX).and_then(|numbers| numbers.split_once('-'));
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Flushes the folder entry to disk, where the system supports it.
fn sync_dir(folder: &Dir) {
    let _ = folder.open(".").and_then(|folder| folder.sync_all());
}

struct Walk<'w> {
    found: Vec<Found>,
    remaining: usize,
    is_wanted: &'w dyn Fn(&str) -> bool,
}

impl Walk<'_> {
    fn visit(&mut self, dir: &Dir, prefix: &str, depth: usize) {
        let Ok(entries) = dir.entries() else { return };
        for entry in entries.flatten() {
            // Every entry counts, not only wanted ones: a folder with millions of other files must
            // not block a call.
            self.remaining = self.remaining.saturating_sub(1);
            if self.remaining == 0 {
                return;
            }
            let name = entry.file_name();
            let (Some(name), Ok(kind)) = (name.to_str(), entry.file_type()) else {
                continue;
            };
            let path = format!("{prefix}{name}");
            if name.starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                let below = format!("{path}/");
                if depth > 0
                    && (self.is_wanted)(&below)
                    && let Ok(dir) = entry.open_dir()
                {
                    self.visit(&dir, &below, depth - 1);
                }
                continue;
            }
            // A link counts as its target, if that is inside the folder.
            let metadata = if kind.is_symlink() { dir.metadata(name) } else { entry.metadata() };
            if let (true, Ok(metadata)) = ((self.is_wanted)(&path), metadata)
                && metadata.is_file()
            {
                self.found.push(Found {
                    path,
                    size: metadata.len(),
                    version: Version::of(&metadata),
                });
            }
        }
    }
}

impl Version {
    fn of(metadata: &Metadata) -> Self {
        Self {
            size: metadata.len(),
            inode: metadata.ino(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

//! The folder of documents, opened as a handle that no path or link leads out of. Files are written
//! atomically.

use std::io::{self, ErrorKind, Read};

use atomic_file::Access;
use cap_std::fs::{Dir, Metadata, MetadataExt};

use crate::open_dir::{self, Folder};

/// Directory entries that are visited in a listing.
pub(super) const MAX_ENTRIES: usize = 20_000;

/// The folder of documents. Links are followed only inside it.
pub(super) struct DocumentDir(Dir);

/// A listed file.
pub(super) struct FileEntry {
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
    pub(super) fn open(folder: &Folder) -> io::Result<Self> {
        folder.open().map(Self)
    }

    pub(super) fn open_or_create(folder: &Folder) -> io::Result<Self> {
        folder.open_or_create().map(Self)
    }

    /// A folder inside of it.
    pub(super) fn subfolder(&self, name: &str) -> io::Result<Self> {
        self.0.open_dir(name).map(Self)
    }

    /// A folder inside of it, which is created if it does not exist.
    pub(super) fn create_subfolder(&self, name: &str) -> io::Result<Self> {
        self.0.create_dir_all(name)?;
        self.subfolder(name)
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
        match open_dir::open_file(&self.0, path) {
            Ok(Some(file)) => Ok(file),
            // Files that are not listed do not exist for readers either.
            Ok(None) => Err(io::Error::new(ErrorKind::NotFound, "it is not a regular file")),
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
        atomic_file::create_in(&parent, name.as_ref(), bytes, Access::Usual)
    }

    /// Creates or replaces a file atomically, keeping its permissions.
    pub(super) fn replace(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (parent, name) = self.open_parent(path)?;
        atomic_file::replace_in(&parent, name.as_ref(), bytes, Access::Usual)
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

    /// Lists the wanted files, sorted, and whether some may be missing. Names that begin with `.`
    /// are skipped. `is_wanted` is called for folders, with a trailing `/`, and for files.
    pub(super) fn files(
        &self,
        depth: usize,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> (Vec<FileEntry>, bool) {
        let mut walk = Walk { found: Vec::new(), remaining: MAX_ENTRIES, is_wanted };
        walk.visit(&self.0, "", depth);
        walk.found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        (walk.found, walk.remaining == 0)
    }
}

struct Walk<'w> {
    found: Vec<FileEntry>,
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
                // The draft of a server that was killed: the document may never be written again.
                let _ = atomic_file::remove_abandoned_draft(dir, name.as_ref());
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
                self.found.push(FileEntry {
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

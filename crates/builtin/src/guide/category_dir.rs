//! The folder of a category, opened as a handle that no path or link leads out of.

use std::io::{self, Read};

use cap_std::fs::{Dir, File};

use crate::open_dir::{self, Folder};

/// Files of a category that are listed.
pub(super) const MAX_FILES: usize = 20_000;
/// Nesting depth of folders that are listed.
const MAX_DEPTH: usize = 32;

/// The largest file that is read.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The folder of a category. Links are followed only inside it.
pub(super) struct CategoryDir(Dir);

/// A list of files.
#[derive(Default)]
pub(super) struct Listing {
    /// Paths relative to the folder, separated by `/`, sorted by bytes.
    pub(super) paths: Vec<String>,
    /// Whether the list is incomplete because of a limit.
    pub(super) is_truncated: bool,
}

/// The part of a folder to list: at most `depth` levels below the folder `below`.
pub(super) struct SearchScope {
    pub(super) below: String,
    pub(super) depth: usize,
}

impl SearchScope {
    /// All levels, up to the limit.
    pub(super) fn unlimited_below(below: impl Into<String>) -> Self {
        Self { below: below.into(), depth: MAX_DEPTH }
    }
}

impl CategoryDir {
    pub(super) fn open(folder: &Folder) -> io::Result<Self> {
        folder.open().map(Self)
    }

    /// Lists all visible files. Names that begin with `.` or `_` are hidden, and so are their
    /// contents.
    pub(super) fn all_files(&self) -> Listing {
        self.files(SearchScope::unlimited_below(""), &|| false)
    }

    /// Lists the visible files in a scope. Ends early when `stop` returns true.
    pub(super) fn files(
        &self,
        SearchScope { below, depth }: SearchScope,
        stop: &dyn Fn() -> bool,
    ) -> Listing {
        let mut walk = Walk { listing: Listing::default(), stop };
        if below.is_empty() {
            walk.visit(&self.0, "", depth);
        } else if !below.split('/').any(is_hidden)
            && let Ok(dir) = self.0.open_dir(&below)
        {
            walk.visit(&dir, &format!("{below}/"), depth);
        }
        // Directory order differs between file systems, and the order of documents is part of the
        // result.
        walk.listing.paths.sort_unstable();
        walk.listing
    }

    /// The size of a file in bytes; `None` if it does not exist.
    pub(super) fn size(&self, path: &str) -> Option<u64> {
        self.0.metadata(path).ok().map(|metadata| metadata.len())
    }

    /// Reads the first bytes of a file.
    pub(super) fn head(&self, path: &str, bytes: u64) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        self.open_file(path)?.take(bytes).read_to_end(&mut head)?;
        Ok(head)
    }

    /// Reads a file.
    pub(super) fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let file = self.open_file(path)?;
        let size = file.metadata()?.len();
        if size > MAX_FILE_BYTES {
            let message = format!("it has {size} bytes, more than {MAX_FILE_BYTES}");
            return Err(io::Error::other(message));
        }
        // Bounded even if the size fits, because the file may be growing.
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn open_file(&self, path: &str) -> io::Result<File> {
        let not_regular = || io::Error::other("it is not a regular file");
        open_dir::open_file(&self.0, path)?.ok_or_else(not_regular)
    }
}

struct Walk<'s> {
    listing: Listing,
    stop: &'s dyn Fn() -> bool,
}

impl Walk<'_> {
    fn visit(&mut self, dir: &Dir, prefix: &str, depth: usize) {
        let Ok(entries) = dir.entries() else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if is_hidden(&name) {
                continue;
            }
            if kind.is_dir() && depth == 0 {
                // Levels below the requested scope are not missing; levels below the limit are.
                self.listing.is_truncated |= prefix.matches('/').count() >= MAX_DEPTH;
                continue;
            }
            let path = format!("{prefix}{name}");
            // A link to a folder is skipped: its target is outside, or listed anyway. A folder that
            // cannot be opened is listed like a file, so that reading it reports the error.
            // `is_dir` follows the link, within the handle.
            let is_listed = !kind.is_symlink() || !dir.is_dir(&*name);
            match if kind.is_dir() { entry.open_dir().ok() } else { None } {
                Some(below) => self.visit(&below, &format!("{path}/"), depth - 1),
                None if is_listed && !self.add(path) => return,
                None => {}
            }
        }
    }

    /// Adds a file. Returns false at the limit or when the request was cancelled.
    fn add(&mut self, path: String) -> bool {
        // A category may be a home folder by mistake.
        if self.listing.paths.len() >= MAX_FILES || (self.stop)() {
            self.listing.is_truncated = true;
            return false;
        }
        self.listing.paths.push(path);
        true
    }
}

/// Whether a name is hidden: dot files, and `_` for files that are only included.
pub(super) fn is_hidden(name: &str) -> bool {
    name.starts_with(['.', '_'])
}

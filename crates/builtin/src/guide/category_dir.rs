//! Content files, through a handle on a folder below which everything stays.

use std::{
    io::{self, Read},
    path::Path,
};

use cap_std::fs::Dir;

use crate::open_dir;

/// The most files of one folder that are looked at, and how deep.
pub(super) const MOST_FILES: usize = 20_000;
const DEPTH: usize = 32;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// A folder of documents. Whatever is read through it lies inside, links followed.
pub(super) struct CategoryDir(Dir);

/// The files of a folder.
#[derive(Default)]
pub(super) struct Listing {
    /// Their paths below it, with `/` between the parts, sorted by bytes.
    pub(super) paths: Vec<String>,
    /// Whether there are more than are looked at.
    pub(super) is_cut: bool,
}

/// Where in a folder files are looked for: at most `depth` folders below the folder `below`.
pub(super) struct SearchScope {
    pub(super) below: String,
    pub(super) depth: usize,
}

impl SearchScope {
    /// Everywhere, as far as anything is looked at.
    pub(super) fn unlimited_below(below: impl Into<String>) -> Self {
        Self { below: below.into(), depth: DEPTH }
    }
}

impl CategoryDir {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        open_dir::open(path).map(Self)
    }

    /// All files in sight: what begins with `.` or `_`, and what lies in such a folder, is not.
    pub(super) fn all_files(&self) -> Listing {
        self.files(SearchScope::unlimited_below(""), &|| false)
    }

    /// The files in sight within reach; not all of them once `stop` says so.
    pub(super) fn files(
        &self,
        SearchScope { below, depth }: SearchScope,
        stop: &dyn Fn() -> bool,
    ) -> Listing {
        let mut walk = Walk { listing: Listing::default(), stop };
        if below.is_empty() {
            walk.through(&self.0, "", depth);
        } else if !below.split('/').any(is_hidden)
            && let Ok(dir) = self.0.open_dir(&below)
        {
            walk.through(&dir, &format!("{below}/"), depth);
        }
        walk.listing.paths.sort_unstable();
        walk.listing
    }

    /// How many bytes a file has, if that can be known.
    pub(super) fn size(&self, path: &str) -> Option<u64> {
        self.0.metadata(path).ok().map(|about| about.len())
    }

    /// The first bytes of a file.
    pub(super) fn head(&self, path: &str, bytes: u64) -> io::Result<Vec<u8>> {
        // Looked at before it is opened: opening a pipe would wait for someone to write into it.
        if !self.0.metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut head = Vec::new();
        self.0.open(path)?.take(bytes).read_to_end(&mut head)?;
        Ok(head)
    }

    /// The bytes of a file.
    pub(super) fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        // Looked at before it is opened: opening a pipe would wait for someone to write into it.
        let about = self.0.metadata(path)?;
        if !about.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        if about.len() > LARGEST {
            return Err(io::Error::other(format!(
                "it has {} bytes, more than {LARGEST}",
                about.len()
            )));
        }
        self.0.read(path)
    }
}

struct Walk<'s> {
    listing: Listing,
    stop: &'s dyn Fn() -> bool,
}

impl Walk<'_> {
    fn through(&mut self, dir: &Dir, before: &str, depth: usize) {
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
                // Deeper than was asked for is not cut, deeper than anything is looked at is.
                self.listing.is_cut |= before.matches('/').count() >= DEPTH;
                continue;
            }
            let path = format!("{before}{name}");
            // A link to a folder inside leads to nothing new. Whatever cannot be read is told when it is.
            let is_told = !kind.is_symlink() || !dir.is_dir(&*name);
            match if kind.is_dir() { entry.open_dir().ok() } else { None } {
                Some(below) => self.through(&below, &format!("{path}/"), depth - 1),
                None if is_told && !self.take(path) => return,
                None => {}
            }
        }
    }

    /// Notes a file, unless there are too many or nobody waits any more.
    fn take(&mut self, path: String) -> bool {
        let has_room = self.listing.paths.len() < MOST_FILES && !(self.stop)();
        match has_room {
            true => self.listing.paths.push(path),
            false => self.listing.is_cut = true,
        }
        has_room
    }
}

/// Whether a file or folder is not shown: parts to include, and what is hidden everywhere.
pub(super) fn is_hidden(name: &str) -> bool {
    name.starts_with(['.', '_'])
}

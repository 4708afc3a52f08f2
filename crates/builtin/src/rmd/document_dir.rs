//! Files below a folder, through a handle that nothing leads out of: read, written whole or not at
//! all, removed.

use std::{
    io::{self, ErrorKind, Read, Write},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use cap_std::fs::{Dir, Metadata, MetadataExt, OpenOptions};

use crate::open_dir;

/// The most files that are looked at, whatever they are.
pub(super) const MOST_FILES: usize = 20_000;

/// What the names of drafts begin with; two numbers follow.
const DRAFT: &str = ".toolcrib-";

/// How old a draft is that nobody writes any more.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder. Whatever is done through it stays inside, links followed.
pub(super) struct DocumentDir(Dir);

/// A file that was found.
pub(super) struct Found {
    /// Its path below the folder, with `/` between the parts.
    pub(super) path: String,
    pub(super) size: u64,
    pub(super) version: Version,
}

/// What tells that a file is not the one it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    size: u64,
    file: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl DocumentDir {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        open_dir::open(path).map(Self)
    }

    pub(super) fn open_or_make(path: &Path) -> io::Result<Self> {
        open_dir::open_or_make(path).map(Self)
    }

    /// The first bytes of a file.
    pub(super) fn head(&self, path: &str, bytes: u64) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        self.file(path)?.take(bytes).read_to_end(&mut head)?;
        Ok(head)
    }

    /// The bytes of a file that has at most `largest` of them.
    pub(super) fn read(&self, path: &str, largest: u64) -> io::Result<Vec<u8>> {
        let file = self.file(path)?;
        let size = file.metadata()?.len();
        // Refused by what it says of itself, and bounded all the same: it may be growing.
        let mut bytes = Vec::new();
        if size <= largest {
            file.take(largest.saturating_add(1)).read_to_end(&mut bytes)?;
        }
        match size > largest || bytes.len() as u64 > largest {
            true => Err(io::Error::new(
                ErrorKind::FileTooLarge,
                format!("it has {size} bytes, and may have {largest}"),
            )),
            false => Ok(bytes),
        }
    }

    fn file(&self, path: &str) -> io::Result<cap_std::fs::File> {
        let leads_nowhere = || self.0.symlink_metadata(path).is_ok_and(|about| about.is_symlink());
        // Looked at before it is opened: opening a pipe would wait for someone to write into it.
        match self.0.metadata(path) {
            Ok(about) if about.is_file() => self.0.open(path),
            // Lists leave these out, so to readers they are not there.
            Ok(_) => Err(io::Error::new(ErrorKind::NotFound, "it is not a regular file")),
            Err(_) if leads_nowhere() => {
                Err(io::Error::new(ErrorKind::NotFound, "it is a link that leads nowhere"))
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn is_file(&self, path: &str) -> bool {
        self.0.is_file(path)
    }

    /// Makes a file with these bytes, all at once; if there is one already, it stays and that is an error.
    pub(super) fn create(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (parent, name) = self.parent(path)?;
        let draft = Draft::write(&parent, bytes, None)?;
        match parent.hard_link(&draft.name, &parent, name) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
            // Without links, the name is taken first, and what takes it replaced.
            Err(_) => {
                parent.open_with(name, OpenOptions::new().write(true).create_new(true))?;
                draft.rename(name)?;
            }
        }
        settle(&parent);
        Ok(())
    }

    /// Makes or replaces a file, all at once.
    pub(super) fn replace(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (parent, name) = self.parent(path)?;
        let before = parent.symlink_metadata(name).ok().filter(Metadata::is_file);
        Draft::write(&parent, bytes, before.as_ref())?.rename(name)?;
        settle(&parent);
        Ok(())
    }

    /// Removes a file.
    pub(super) fn remove(&self, path: &str) -> io::Result<()> {
        self.0.remove_file(path)
    }

    /// The folder that a path is in, made if it is not there, and the last part of the path.
    fn parent<'p>(&self, path: &'p str) -> io::Result<(Dir, &'p str)> {
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

    /// The files in sight whose paths are wanted, sorted, and whether there may be more. What begins with `.` is not in
    /// sight, `is_wanted` is asked of folders, with a `/` behind them, and of files.
    pub(super) fn files(
        &self,
        depth: usize,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> (Vec<Found>, bool) {
        let mut walk = Walk { found: Vec::new(), left: MOST_FILES, is_wanted };
        walk.through(&self.0, "", depth);
        walk.found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        (walk.found, walk.left == 0)
    }
}

/// Bytes in a file beside the one that they are for, gone when this is dropped.
struct Draft<'d> {
    parent: &'d Dir,
    name: String,
}

impl<'d> Draft<'d> {
    fn write(parent: &'d Dir, bytes: &[u8], like: Option<&Metadata>) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        sweep(parent);
        let (draft, mut file) = loop {
            let name =
                format!("{DRAFT}{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            match parent.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
                Ok(file) => break (Self { parent, name }, file),
                // Left by a process that ended in the middle.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
        file.write_all(bytes)?;
        if let Some(like) = like {
            file.set_permissions(like.permissions())?;
        }
        file.sync_all()?;
        Ok(draft)
    }

    fn rename(&self, name: &str) -> io::Result<()> {
        self.parent.rename(&self.name, self.parent, name)
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // A draft that was renamed is not there any more.
        let _ = self.parent.remove_file(&self.name);
    }
}

/// Removes drafts of processes that ended in the middle.
fn sweep(folder: &Dir) {
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
        if name.to_str().is_some_and(is_draft) && age().is_some_and(|age| age > ABANDONED) {
            // Somebody else may have removed it.
            let _ = folder.remove_file(&name);
        }
    }
}

fn is_draft(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = name.strip_prefix(DRAFT).and_then(|numbers| numbers.split_once('-'));
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Has the folder itself written to the disk, where that can be done.
fn settle(folder: &Dir) {
    let _ = folder.open(".").and_then(|folder| folder.sync_all());
}

struct Walk<'w> {
    found: Vec<Found>,
    left: usize,
    is_wanted: &'w dyn Fn(&str) -> bool,
}

impl Walk<'_> {
    fn through(&mut self, dir: &Dir, before: &str, depth: usize) {
        let Ok(entries) = dir.entries() else { return };
        for entry in entries.flatten() {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                return;
            }
            let name = entry.file_name();
            let (Some(name), Ok(kind)) = (name.to_str(), entry.file_type()) else {
                continue;
            };
            let path = format!("{before}{name}");
            if name.starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                let below = format!("{path}/");
                if depth > 0
                    && (self.is_wanted)(&below)
                    && let Ok(dir) = entry.open_dir()
                {
                    self.through(&dir, &below, depth - 1);
                }
                continue;
            }
            // A link counts as what it leads to, if that lies inside.
            let about = if kind.is_symlink() { dir.metadata(name) } else { entry.metadata() };
            if let (true, Ok(about)) = ((self.is_wanted)(&path), about)
                && about.is_file()
            {
                self.found.push(Found { path, size: about.len(), version: Version::of(&about) });
            }
        }
    }
}

impl Version {
    fn of(about: &Metadata) -> Self {
        Self {
            size: about.len(),
            file: about.ino(),
            written: (about.mtime(), about.mtime_nsec()),
            changed: (about.ctime(), about.ctime_nsec()),
        }
    }
}

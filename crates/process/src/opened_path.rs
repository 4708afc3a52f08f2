//! Files and folders that the operator granted, opened when a crib is loaded.
//!
//! A program that may write in a folder can replace its entries by symbolic links. So a granted path
//! is opened once and used through its descriptor, and paths that are opened later are opened without
//! following links.

#[cfg(target_os = "linux")]
mod kernel;
#[cfg(any(not(target_os = "linux"), test))]
mod stepwise;

use std::{
    collections::HashMap,
    fs::{self, File},
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use rustix::fs::{OFlags, fstat};

#[cfg(target_os = "linux")]
use self::kernel as system;
#[cfg(not(target_os = "linux"))]
use self::stepwise as system;
use self::system::{PLACE, open_beneath, open_folder, open_with};

/// How files are opened for reading. Opening a named pipe would block until another process opens its other
/// end.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Maximum number of links that are followed on the way to a path, as in the kernel.
const MAX_LINKS: usize = 40;

/// A file or folder that was opened once.
#[derive(Debug)]
pub struct OpenedPath {
    path: PathBuf,
    /// Absent if it did not exist.
    fd: Option<OwnedFd>,
}

impl OpenedPath {
    /// Opens a path, which need not exist. Follows no link, neither now nor later.
    pub fn open(path: PathBuf) -> Self {
        Self { fd: open_without_links(&path).ok(), path }
    }

    /// Returns the descriptor (`O_PATH`) that was opened first, as long as its file or folder exists.
    /// If it was removed or did not exist yet, the path is opened again.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        match self.open_descriptor() {
            Some(fd) => fd.try_clone_to_owned(),
            None => open_without_links(&self.path),
        }
    }

    /// The path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The descriptor that was opened first, unless its file or folder was removed since: build tools
    /// remove and create their folders.
    fn open_descriptor(&self) -> Option<BorrowedFd<'_>> {
        let fd = self.fd.as_ref()?;
        fstat(fd).is_ok_and(|found| found.st_nlink > 0).then(|| fd.as_fd())
    }
}

/// Opened paths, by the path as it was granted. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct OpenedPaths(Arc<HashMap<PathBuf, OpenedPath>>);

impl OpenedPaths {
    /// Opens paths. Links on the way to them are followed, except in the `writable` folders.
    pub fn open(paths: impl IntoIterator<Item = PathBuf>, writable: &[PathBuf]) -> Self {
        let open = |path: PathBuf| {
            let opened = OpenedPath::open(follow_links_outside(&path, writable));
            (path, opened)
        };
        Self(Arc::new(paths.into_iter().map(open).collect()))
    }

    /// The path without links, and its descriptor if it still exists.
    pub(crate) fn get(&self, path: &Path) -> Option<(&Path, Option<BorrowedFd<'_>>)> {
        self.0.get(path).map(|opened| (opened.path(), opened.open_descriptor()))
    }
}

/// Opens a path as a place, without reading it, unless any part of it is a symbolic link.
pub(crate) fn open_without_links(path: &Path) -> io::Result<OwnedFd> {
    open_with(path, PLACE)
}

/// Opens a regular file for reading unless any part of its path is a symbolic link.
pub fn open_file_without_links(path: &Path) -> io::Result<File> {
    check_is_file(open_with(path, READ)?)
}

/// Opens a regular file below a folder for reading. A link that leads out of the folder is an error.
pub fn open_file_beneath(folder: &Path, path: &Path) -> io::Result<File> {
    check_is_file(open_beneath(open_folder(folder)?, path, READ)?)
}

/// Checks the opened file, because its path may lead elsewhere by now.
fn check_is_file(file: OwnedFd) -> io::Result<File> {
    let file = File::from(file);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(file)
}

/// The path with links followed, except those in the `writable` folders: a program may have put them
/// there. Parts that do not exist stay as they are.
pub fn follow_links_outside(path: &Path, writable: &[PathBuf]) -> PathBuf {
    follow(path, writable, &mut { MAX_LINKS })
}

fn follow(path: &Path, writable: &[PathBuf], links: &mut usize) -> PathBuf {
    let mut real = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => {
                let next = real.join(name);
                let is_trusted = !writable.iter().any(|folder| real.starts_with(folder));
                real = match fs::read_link(&next) {
                    Ok(target) if is_trusted && *links > 0 => {
                        *links -= 1;
                        follow(&real.join(target), writable, links)
                    }
                    _ => next,
                };
            }
            Component::ParentDir => {
                real.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    real
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs, io::Read, os::unix::fs::symlink};

    use super::{OpenedPath, follow_links_outside, open_file_beneath};

    #[test]
    fn keeps_the_folder_that_was_opened() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        let (given, other) = (root.join("given"), root.join("other"));
        fs::create_dir(&given)?;
        fs::create_dir(&other)?;
        let opened = OpenedPath::open(given.clone());
        let inode = |opened: &OpenedPath| {
            opened.descriptor().ok().and_then(|fd| Some(rustix::fs::fstat(fd).ok()?.st_ino))
        };
        let first = inode(&opened);
        fs::rename(&given, root.join("moved"))?;
        symlink(&other, &given)?;
        assert!(first.is_some() && inode(&opened) == first);
        fs::remove_dir(root.join("moved"))?;
        assert_eq!(inode(&opened), None, "a link is not followed");
        fs::remove_file(&given)?;
        fs::create_dir(&given)?;
        assert!(inode(&opened).is_some(), "a folder that was created again is used");
        Ok(())
    }

    #[test]
    fn follows_no_link_in_a_writable_folder() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        for name in ["writable", "outside"] {
            fs::create_dir(root.join(name))?;
        }
        let writable = [root.join("writable")];
        symlink(root.join("outside"), root.join("writable/planted"))?;
        symlink("writable/planted", root.join("way"))?;
        symlink("outside", root.join("own"))?;
        for (path, expected) in [
            ("writable/planted/x", "writable/planted/x"),
            ("way/x", "writable/planted/x"),
            ("own/../own/new", "outside/new"),
        ] {
            assert_eq!(follow_links_outside(&root.join(path), &writable), root.join(expected));
        }
        Ok(())
    }

    #[test]
    fn reads_no_file_behind_a_link_out_of_the_folder() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let inside = folder.path().join("inside");
        fs::create_dir(&inside)?;
        fs::write(folder.path().join("secret"), "secret")?;
        fs::write(inside.join("own"), "own")?;
        symlink("own", inside.join("link"))?;
        symlink("../secret", inside.join("planted"))?;
        let mut text = String::new();
        open_file_beneath(&inside, "link".as_ref())?.read_to_string(&mut text)?;
        assert_eq!(text, "own");
        for name in ["planted", "missing", "."] {
            assert!(open_file_beneath(&inside, name.as_ref()).is_err(), "{name}");
        }
        Ok(())
    }
}

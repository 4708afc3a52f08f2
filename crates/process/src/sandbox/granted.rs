//! The descriptors of granted paths that came with a request.

use std::{
    collections::HashMap,
    fs, io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::fs::fstat;

use crate::opened_path::open_without_links;

/// The descriptors of granted paths, by path.
#[derive(Default)]
pub(crate) struct GrantedDescriptors(HashMap<PathBuf, OwnedFd>);

/// A file or folder of this mount namespace.
pub(crate) struct Place {
    /// Its path now, without links.
    pub(crate) path: PathBuf,
    pub(crate) fd: OwnedFd,
}

impl GrantedDescriptors {
    pub(crate) fn new(descriptors: impl IntoIterator<Item = (PathBuf, OwnedFd)>) -> Self {
        Self(descriptors.into_iter().collect())
    }

    pub(super) fn get(&self, path: &Path) -> Option<BorrowedFd<'_>> {
        self.0.get(path).map(AsFd::as_fd)
    }

    /// Opens a path in this mount namespace, without following links. The descriptor of a granted
    /// path belongs to the namespace of the server, where nothing can be mounted from here, so the
    /// same file is opened again.
    pub(crate) fn open(&self, path: &Path) -> io::Result<Place> {
        let Some(granted) = self.get(path) else {
            return Ok(Place { fd: open_without_links(path)?, path: path.to_owned() });
        };
        let path = fs::read_link(format!("/proc/self/fd/{}", granted.as_raw_fd()))?;
        let fd = open_without_links(&path)?;
        // Compared after opening: there is no time in which the path could be replaced.
        let (first, again) = (fstat(granted)?, fstat(&fd)?);
        if (first.st_dev, first.st_ino) != (again.st_dev, again.st_ino) {
            return Err(io::Error::other("it was replaced since the crib was loaded"));
        }
        Ok(Place { path, fd })
    }
}

//! Opens folders as capability handles: paths below a handle cannot lead out of it, links included.
//!
//! The only place that turns an ambient path into a handle.

use std::{
    fs, io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt};
use runtime::OpenedPath;
use rustix::{fs::OFlags, io::Errno};

/// A folder that was opened when the crib was loaded. No link is followed on the way to it: a tool,
/// or an archive that it unpacked, may have put the link there.
#[derive(Debug)]
pub(crate) struct Folder(OpenedPath);

impl Folder {
    /// Opens a folder, which need not exist yet.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(OpenedPath::open(path))
    }

    /// A handle on the folder.
    pub(crate) fn open(&self) -> io::Result<Dir> {
        self.0.descriptor().map(to_dir)
    }

    /// A handle on the folder, which is created if it does not exist.
    pub(crate) fn open_or_create(&self) -> io::Result<Dir> {
        match self.open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        let path = self.0.path();
        let missing = |parent: &&Path| fs::symlink_metadata(parent).is_ok();
        let existing = path.ancestors().find(missing).ok_or(io::ErrorKind::NotFound)?;
        let rest = path.strip_prefix(existing).map_err(io::Error::other)?;
        // Created below a handle, so that it cannot be created elsewhere.
        to_dir(OpenedPath::open(existing.to_owned()).descriptor()?).create_dir_all(rest)?;
        self.open()
    }
}

fn to_dir(descriptor: OwnedFd) -> Dir {
    Dir::from_std_file(descriptor.into())
}

/// Opens a regular file for reading; `None` if it is something else.
pub(crate) fn open_file(dir: &Dir, path: &str) -> io::Result<Option<File>> {
    // Opening a named pipe would block until another process opens its other end.
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let file = match dir.open_with(path, &options) {
        // A socket.
        Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => return Ok(None),
        opened => opened?,
    };
    // The opened file is checked, because the path may lead elsewhere by now.
    Ok(file.metadata()?.is_file().then_some(file))
}

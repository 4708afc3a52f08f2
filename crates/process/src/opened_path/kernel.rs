//! Opens paths with the rules of `openat2`, which the kernel applies to each part of the path.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

/// How a path is opened that is only a place for other paths.
pub(super) const PLACE: OFlags = OFlags::PATH;

/// Opens a path unless any part of it is a symbolic link.
pub(super) fn open_with(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    Ok(openat2(CWD, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve)?)
}

/// Opens a folder to open paths below it.
pub(super) fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = PLACE | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// Opens a path below a folder. A link that leads out of the folder is an error.
pub(super) fn open_beneath(folder: impl AsFd, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    Ok(openat2(folder, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve)?)
}

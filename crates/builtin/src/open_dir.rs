//! Opens folders as capability handles: paths below a handle cannot lead out of it, links included.
//!
//! The only place that turns an ambient path into a handle.

use std::{io, path::Path};

use cap_std::{ambient_authority, fs::Dir};

/// Opens a folder.
pub(crate) fn open(path: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(path, ambient_authority())
}

/// Opens a folder and creates it if it does not exist.
pub(crate) fn open_or_create(path: &Path) -> io::Result<Dir> {
    Dir::create_ambient_dir_all(path, ambient_authority())?;
    open(path)
}

//! The one door to folders of documents: from a path to a handle below which everything stays.

use std::{io, path::Path};

use cap_std::{ambient_authority, fs::Dir};

/// The handle on a folder.
pub(crate) fn open(path: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(path, ambient_authority())
}

/// The handle on a folder, which is made if it is not there.
pub(crate) fn open_or_make(path: &Path) -> io::Result<Dir> {
    Dir::create_ambient_dir_all(path, ambient_authority())?;
    open(path)
}

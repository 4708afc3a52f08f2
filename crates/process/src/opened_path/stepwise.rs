//! Opens paths one part at a time, on systems without `openat2`. Follows no link at all: what a link leads to
//! could change between reading and opening it.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    path::{Component, Path},
};

use rustix::fs::{Mode, OFlags, open, openat};

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// How a path is opened that is only a place for other paths. Opening a named pipe would block until another
/// process opens its other end.
pub(super) const PLACE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK);

/// Opens an absolute path unless any part of it is a symbolic link.
pub(super) fn open_with(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let path = path.strip_prefix("/").map_err(io::Error::other)?;
    open_beneath(open_folder(Path::new("/"))?, path, flags)
}

/// Opens a folder to open paths below it.
pub(super) fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    Ok(open(path, FOLDER, Mode::empty())?)
}

/// Opens a path below a folder. Any link in it is an error.
pub(super) fn open_beneath(folder: impl AsFd, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let mut opened = folder.as_fd().try_clone_to_owned()?;
    let mut parts = path.components().filter(|part| *part != Component::CurDir).peekable();
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else {
            return Err(io::Error::other("the path leads out of its folder"));
        };
        let flags = if parts.peek().is_some() { FOLDER } else { flags };
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        opened = openat(&opened, name, flags, Mode::empty())?;
    }
    Ok(opened)
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs, fs::File, io::Read, os::unix::fs::symlink, path::Path};

    use rustix::fs::OFlags;

    use super::{PLACE, open_beneath, open_folder, open_with};

    #[test]
    fn follows_no_link_and_leaves_no_folder() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        fs::create_dir_all(root.join("inside/deep"))?;
        fs::write(root.join("inside/deep/file"), "text")?;
        symlink("deep", root.join("inside/link"))?;
        let inside = open_folder(&root.join("inside"))?;
        let open = |path: &str| open_beneath(&inside, Path::new(path), OFlags::RDONLY);
        let mut text = String::new();
        File::from(open("./deep/file")?).read_to_string(&mut text)?;
        assert_eq!(text, "text");
        for path in ["link", "link/file", "../inside/deep/file", "/etc/passwd", "missing"] {
            assert!(open(path).is_err(), "{path}");
        }
        assert!(open_with(&root.join("inside/deep/file"), PLACE).is_ok());
        assert!(open_with(&root.join("inside/link/file"), PLACE).is_err());
        Ok(())
    }
}

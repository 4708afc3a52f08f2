//! The single entry point for writing a user's file. A reader, a crash or a full disk never sees
//! half of a file: it has the old content or the new one.
//!
//! The content goes to a draft in the same folder, `.NAME.toolcrib`, is flushed to disk, and gets
//! the name of the file by a rename. The writer holds a lock on its draft, which the kernel
//! releases when the process dies, so that the next writer of the file recognizes and removes an
//! abandoned draft. Two writers of one file take turns.

use std::{
    ffi::OsStr,
    fs, io,
    os::{fd::AsFd, unix::fs::FileTypeExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, openat, statat},
    io::Errno,
};

mod draft;

use draft::{Draft, is_draft, remove_if_abandoned};

/// Number of files that are written concurrently.
const WRITERS: usize = 16;

/// Who can access a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Keeps the permissions of an existing file; a new file gets those of the umask.
    Usual,
    /// Its owner, and no other user.
    OwnerOnly,
}

/// Creates or replaces a file, and creates missing folders above it.
///
/// Keeps the permissions of a file that is replaced and, as far as this process may, its owner. A
/// link stays a link: its target is replaced. Devices and pipes, such as `/dev/stdout`, are written
/// to. Fails for a broken link and for a folder. With [`Access::OwnerOnly`], whatever has this name
/// is replaced, so that the content goes nowhere else.
pub fn replace(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    if access == Access::OwnerOnly {
        return replace_at(path, bytes, access);
    }
    match fs::metadata(path) {
        Ok(found) if found.is_file() => replace_at(&fs::canonicalize(path)?, bytes, access),
        // Replacing `/dev/null` by a file would break the whole machine.
        Ok(found) if found.file_type().is_char_device() || found.file_type().is_fifo() => {
            write_to_device(path, bytes)
        }
        Ok(_) => Err(io::Error::other("it is not a regular file")),
        Err(_) if path.is_symlink() => {
            Err(io::Error::new(io::ErrorKind::NotFound, "it is a broken link"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => replace_at(path, bytes, access),
        Err(error) => Err(error),
    }
}

/// Replaces many files, several at a time: a file system flushes concurrent writes to disk
/// together. In turn, 1,000 small files took 14 s. Returns the first failure and its path; other
/// files may be written nevertheless.
///
/// Unlike with [`replace`], a link is replaced by a file: these are the generated files of a folder, and
/// a tool that may write there could have put a link in place of one.
pub fn replace_all<P, B>(files: &[(P, B)], access: Access) -> Result<(), (PathBuf, io::Error)>
where
    P: AsRef<Path> + Sync,
    B: AsRef<[u8]> + Sync,
{
    let next = AtomicUsize::new(0);
    let write_some = || {
        while let Some((path, bytes)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let path = path.as_ref();
            replace_at(path, bytes.as_ref(), access).map_err(|error| (path.to_owned(), error))?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let writers = [(); WRITERS].map(|()| scope.spawn(write_some));
        let written = writers.map(|writer| writer.join().expect("writing does not panic"));
        written.into_iter().collect()
    })
}

/// Creates a file, and missing folders above it. Fails with `AlreadyExists` if there is one.
pub fn create(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let (folder, name) = open_parent(path)?;
    create_in(&folder, name, bytes, access)
}

/// Like [`replace`], for a name in an open folder. A link is replaced by a file: following it could
/// lead out of the folder.
pub fn replace_in(
    folder: &impl AsFd,
    name: &OsStr,
    bytes: &[u8],
    access: Access,
) -> io::Result<()> {
    let folder = folder.as_fd();
    let is_file = |found: &Stat| FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    let before = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok().filter(is_file);
    let like = before.filter(|_| access == Access::Usual);
    Draft::write(folder, name, bytes, access, like.as_ref())?.rename_to(name)
}

/// Like [`create`], for a name in an open folder.
pub fn create_in(folder: &impl AsFd, name: &OsStr, bytes: &[u8], access: Access) -> io::Result<()> {
    let folder = folder.as_fd();
    // Checked at the end, too. This spares the work, and a disk that is nearly full.
    if statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
        return Err(Errno::EXIST.into());
    }
    Draft::write(folder, name, bytes, access, None)?.link_to(name)
}

/// Removes a file of a folder if it is a draft that a dead process left there. For folders whose
/// files may never be written again, so that no later write removes it.
pub fn remove_abandoned_draft(folder: &impl AsFd, name: &OsStr) -> io::Result<()> {
    if is_draft(name) { remove_if_abandoned(folder.as_fd(), name) } else { Ok(()) }
}

fn replace_at(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let (folder, name) = open_parent(path)?;
    replace_in(&folder, name, bytes, access)
}

fn write_to_device(path: &Path, bytes: &[u8]) -> io::Result<()> {
    io::Write::write_all(&mut fs::OpenOptions::new().write(true).open(path)?, bytes)
}

/// A folder that cannot be listed may still be written to.
#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::RDONLY;

/// Opens the folder of a path, creating it if needed, and returns the file name.
fn open_parent(path: &Path) -> io::Result<(rustix::fd::OwnedFd, &OsStr)> {
    let name = path.file_name().ok_or(Errno::ISDIR)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let flags = FOLDER | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok((openat(CWD, folder, flags, Mode::empty())?, name))
}

//! The draft of a file: complete and on disk before it gets the name of the file.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Write},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::ffi::OsStrExt,
    },
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{
        AtFlags, FlockOperation, Gid, Mode, OFlags, RenameFlags, Stat, Uid, fchmod, fchown, flock,
        fstat, linkat, openat, renameat, renameat_with, statat, unlinkat,
    },
    io::Errno,
};

use crate::Access;

const PREFIX: &[u8] = b".";
const SUFFIX: &[u8] = b".toolcrib";

/// The maximum length of a name on every common file system, in bytes.
const MAX_NAME: usize = 255;

/// Maximum wait for another process that writes the same file.
const MAX_WAIT: Duration = Duration::from_secs(5);
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// A complete draft, locked by this process. Removed on drop unless it became the file.
pub(crate) struct Draft<'f> {
    folder: BorrowedFd<'f>,
    name: OsString,
    /// Holds the lock.
    file: File,
    has_moved: bool,
}

/// Whether a file name is that of a draft.
pub(crate) fn is_draft(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.len() > PREFIX.len() + SUFFIX.len() && name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

fn draft_name(name: &OsStr) -> OsString {
    let name = name.as_bytes();
    // Long names may share a draft; their writers take turns like those of one file.
    let kept = &name[..name.len().min(MAX_NAME - PREFIX.len() - SUFFIX.len())];
    OsStr::from_bytes(&[PREFIX, kept, SUFFIX].concat()).to_owned()
}

/// Removes a draft unless a running process writes it.
pub(crate) fn remove_if_abandoned(folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    // Non-blocking, because opening a FIFO with this name would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let draft = match openat(folder, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(()),
        opened => opened?,
    };
    // If the file system has no locks, an abandoned draft cannot be recognized.
    if lock(&draft).is_err() || !has_name(&draft, folder, name) {
        return Ok(());
    }
    // Only the holder of the lock renames or removes a draft, so the name still refers to this one.
    Ok(unlinkat(folder, name, AtFlags::empty())?)
}

/// Locks a draft. Fails with `WOULDBLOCK` if another process has locked it.
fn lock(file: &impl AsFd) -> Result<(), Errno> {
    flock(file, FlockOperation::NonBlockingLockExclusive)
}

/// Whether a name still refers to an open file.
fn has_name(file: &impl AsFd, folder: BorrowedFd<'_>, name: &OsStr) -> bool {
    let identity = |found: Stat| (found.st_dev, found.st_ino);
    let named = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(identity);
    named.is_ok() && named == fstat(file).map(identity)
}

impl<'f> Draft<'f> {
    /// Writes a draft for `name` and flushes it to disk, with the owner and permissions of `like`.
    pub(crate) fn write(
        folder: BorrowedFd<'f>,
        name: &OsStr,
        bytes: &[u8],
        access: Access,
        like: Option<&Stat>,
    ) -> io::Result<Self> {
        let mut draft = Self::open(folder, draft_name(name), access)?;
        if let Some(like) = like {
            // Fails unless this process is privileged. Before the permissions, which it may reset.
            let (owner, group) = (Uid::from_raw(like.st_uid), Gid::from_raw(like.st_gid));
            let _ = fchown(&draft.file, Some(owner), Some(group));
            fchmod(&draft.file, Mode::from_raw_mode(like.st_mode))?;
        }
        draft.file.write_all(bytes)?;
        // Synced before the rename, because some file systems would keep the rename and lose the
        // content.
        draft.file.sync_all()?;
        Ok(draft)
    }

    /// Creates and locks an empty draft; waits for another writer of the same file.
    fn open(folder: BorrowedFd<'f>, name: OsString, access: Access) -> io::Result<Self> {
        let deadline = Instant::now() + MAX_WAIT;
        let mode = match access {
            Access::Usual => Mode::from_raw_mode(0o666),
            Access::OwnerOnly => Mode::RUSR | Mode::WUSR,
        };
        // Never reuses a draft: it may be a hard link to the file itself.
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        loop {
            match openat(folder, &name, flags, mode) {
                Ok(file) => {
                    // Another writer may have locked or removed it as abandoned before the lock.
                    if lock(&file) != Err(Errno::WOULDBLOCK) && has_name(&file, folder, &name) {
                        return Ok(Self { folder, name, file: file.into(), has_moved: false });
                    }
                }
                Err(Errno::EXIST) => remove_if_abandoned(folder, &name)?,
                Err(error) => return Err(error.into()),
            }
            if Instant::now() > deadline {
                let message = format!(
                    "another process is writing it; try again, or remove `{}`",
                    name.display()
                );
                return Err(io::Error::new(io::ErrorKind::WouldBlock, message));
            }
            thread::sleep(RETRY_INTERVAL);
        }
    }

    /// Gives the draft the name of the file, whether it exists or not.
    pub(crate) fn rename_to(mut self, name: &OsStr) -> io::Result<()> {
        renameat(self.folder, &self.name, self.folder, name)?;
        self.has_moved = true;
        self.sync_folder();
        Ok(())
    }

    /// Gives the draft the name of the file. Fails with `AlreadyExists` if there is one.
    pub(crate) fn link_to(mut self, name: &OsStr) -> io::Result<()> {
        let folder = self.folder;
        match renameat_with(folder, &self.name, folder, name, RenameFlags::NOREPLACE) {
            Ok(()) => self.has_moved = true,
            // Not every file system supports this. A hard link fails as well if the name is taken.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                linkat(folder, &self.name, folder, name, AtFlags::empty())?;
            }
            Err(error) => return Err(error.into()),
        }
        self.sync_folder();
        Ok(())
    }

    /// Flushes the new name to disk, where the system supports it.
    fn sync_folder(&self) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(self.folder, c".", flags, Mode::empty());
        let _ = folder.map(|folder| File::from(folder).sync_all());
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // After a rename, the name may be that of the next writer's draft.
        if !self.has_moved {
            let _ = unlinkat(self.folder, &self.name, AtFlags::empty());
        }
    }
}

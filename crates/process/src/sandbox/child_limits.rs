//! Resource limits of a process that is about to execute a program.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::limits::FORMER_OPEN_FILES;

/// Maximum number of open files of a child.
const OPEN_FILES: u64 = 4096;
/// The size of the largest file a child may write.
const FILE_BYTES: u64 = 16 * 1024 * 1024 * 1024;
/// The memory that a child may lock, in bytes: the kernel's default. Locked pages of files are not counted
/// as memory of the child, and containers often have no limit.
const LOCKED_BYTES: u64 = 8 * 1024 * 1024;

/// The soft limit of open files for children.
pub(crate) fn open_file_limit() -> u64 {
    let former = FORMER_OPEN_FILES.get().copied();
    former.unwrap_or_else(|| getrlimit(Resource::Nofile).current).unwrap_or(u64::MAX)
}

/// Lowers the resource limits of this process, which is about to execute a program. Limits of
/// `u64::MAX` stay as they are. The kernel does not limit the number of `processes` of root.
pub(crate) fn set_limits(memory_bytes: u64, open_files: u64, processes: u64) -> io::Result<()> {
    let limits = [
        (Resource::Core, 0, 0),
        (Resource::Nproc, processes, processes),
        // The address space is not limited: Java, Go and Node reserve far more of it than they ever use.
        (Resource::Data, memory_bytes, memory_bytes),
        (Resource::Nofile, open_files.min(OPEN_FILES), OPEN_FILES),
        (Resource::Fsize, FILE_BYTES, FILE_BYTES),
        (Resource::Memlock, LOCKED_BYTES, LOCKED_BYTES),
    ];
    for (resource, soft, hard) in limits {
        // Limits of the server are only ever lowered.
        let now = getrlimit(resource);
        let lower = |limit: Option<u64>, most: u64| Some(limit.map_or(most, |own| own.min(most)));
        let maximum = lower(now.maximum, hard);
        let current = lower(maximum, soft);
        setrlimit(resource, Rlimit { current, maximum })?;
    }
    Ok(())
}

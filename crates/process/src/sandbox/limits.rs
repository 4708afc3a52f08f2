//! Resource limits of child processes.

use std::{io, sync::OnceLock};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The most files a child may have open at the same time.
const OPEN_FILES: u64 = 4096;
/// The size of the largest file a child may write.
const FILE_BYTES: u64 = 16 * 1024 * 1024 * 1024;

/// The soft limit of open files before [`raise_open_file_limit`].
static FORMER_OPEN_FILES: OnceLock<Option<u64>> = OnceLock::new();

/// Raises this process's limit of open files to the maximum, because each running child takes a few.
/// Children get the former limit: programs that use `select` or loop over all possible descriptors
/// cannot cope with a high one.
pub fn raise_open_file_limit() {
    FORMER_OPEN_FILES.get_or_init(|| {
        let now = getrlimit(Resource::Nofile);
        let raised = Rlimit { current: now.maximum, maximum: now.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "the limit of open files could not be raised");
        }
        now.current
    });
}

/// The soft limit of open files for children.
pub(crate) fn open_file_limit() -> u64 {
    let former = FORMER_OPEN_FILES.get().copied();
    former.unwrap_or_else(|| getrlimit(Resource::Nofile).current).unwrap_or(u64::MAX)
}

/// Lowers the resource limits of this process, which is about to execute a program.
pub(crate) fn set_limits(memory_bytes: u64, open_files: u64) -> io::Result<()> {
    let limits = [
        (Resource::Core, 0, 0),
        (Resource::Data, memory_bytes, memory_bytes),
        (Resource::Nofile, open_files.min(OPEN_FILES), OPEN_FILES),
        (Resource::Fsize, FILE_BYTES, FILE_BYTES),
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

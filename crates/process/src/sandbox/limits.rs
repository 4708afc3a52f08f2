//! Resource limits of child processes.

use std::{io, sync::OnceLock, time::Duration};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Maximum number of open files of a child.
pub(crate) const OPEN_FILES: u64 = 4096;
/// The size of the largest file a child may write.
const FILE_BYTES: u64 = 16 * 1024 * 1024 * 1024;
/// The memory that a child may lock, in bytes: the kernel's default. Locked pages of files are not counted
/// as memory of the child, and containers often have no limit.
const LOCKED_BYTES: u64 = 8 * 1024 * 1024;

/// How often the supervisor of a program adds up what its processes use.
pub const WATCH_INTERVAL: Duration = Duration::from_millis(250);

/// The reason why a program is killed: all its processes together exceeded a limit, or it may have changed a
/// protected file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// [`super::Sandbox::memory_bytes`].
    Memory,
    /// [`super::Sandbox::processes`].
    Processes,
    /// [`super::Sandbox::temp_bytes`].
    TempFiles,
    /// One of [`super::Sandbox::protected`] was replaced or removed while the program ran, so the program
    /// could have written to the new file.
    ProtectedFile,
}

impl Violation {
    /// The values by their encoding.
    pub(crate) const ALL: [Self; 4] =
        [Self::Memory, Self::Processes, Self::TempFiles, Self::ProtectedFile];

    /// Describes the violation.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Memory => "used more memory than it may",
            Self::Processes => "had more processes and threads than it may",
            Self::TempFiles => "wrote more to its temporary folders than it may",
            Self::ProtectedFile => {
                "could write to a file that only people may change: it was replaced or removed just now"
            }
        }
    }

    /// The advice for the user. `table` is the table of `toolcrib.toml` that configures the limits.
    pub fn advice(self, table: &str) -> String {
        let key = match self {
            Self::Memory => "memory_bytes",
            Self::Processes => "processes",
            Self::TempFiles => "temp_bytes",
            Self::ProtectedFile => return "check that file, then call again".to_owned(),
        };
        format!("if it needs more, raise `{key}` in `[{table}]` of toolcrib.toml")
    }
}

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

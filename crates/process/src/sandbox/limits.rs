//! Limits of child processes, and what happens beyond them.

use std::{sync::OnceLock, time::Duration};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

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
    #[cfg(target_os = "linux")]
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
pub(super) static FORMER_OPEN_FILES: OnceLock<Option<u64>> = OnceLock::new();

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

//! The settings of a worker pool.

use std::{path::PathBuf, time::Duration};

use process::{OpenedPaths, ProgramAccess, ProtectedPaths};

/// The settings of a worker pool: access rights, limits and lifetimes.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// The folder of the crib, canonical. Workers run in it.
    pub crib: PathBuf,
    /// Folders that functions may read, and write unless their tool is read-only.
    pub roots: Vec<PathBuf>,
    /// Paths that functions may read beyond the system's folders, the crib and the roots.
    pub read: Vec<PathBuf>,
    /// Paths that all functions may write, those of read-only tools too: caches, for example.
    pub write: Vec<PathBuf>,
    /// The environment of workers, with `PATH`.
    pub environment: Vec<(String, String)>,
    /// Whether the operator wants workers sandboxed.
    pub is_sandboxed: bool,
    /// Maximum memory that each process of a worker may allocate and all of them may use together,
    /// in bytes.
    pub memory_bytes: u64,
    /// Maximum number of processes and threads of a worker.
    pub processes: u64,
    /// Maximum bytes in the private folders of a worker.
    pub temp_bytes: u64,
    /// The same for R, where it differs.
    pub r_memory_bytes: Option<u64>,
    /// Files and folders that only people may change.
    pub protected: ProtectedPaths,
    /// The granted paths as they were opened when the crib was loaded.
    pub opened: OpenedPaths,
    /// The folders that the Python interpreter needs, found by [`crate::python_folders`].
    pub python_folders: Vec<PathBuf>,
    /// Grace period for a function to stop after an interrupt, before its worker is killed.
    pub grace: Duration,
    /// Maximum number of concurrent workers; at least one.
    pub max_workers: usize,
    /// Idle timeout of a worker.
    pub idle_time: Duration,
    /// Idle timeout of a named session.
    pub session_lifetime: Duration,
}

impl WorkerSettings {
    pub(crate) fn access(&self) -> ProgramAccess<'_> {
        ProgramAccess {
            folder: &self.crib,
            roots: &self.roots,
            read: &self.read,
            write: &self.write,
            environment: &self.environment,
            is_sandboxed: self.is_sandboxed,
            memory_bytes: self.memory_bytes,
            processes: self.processes,
            temp_bytes: self.temp_bytes,
            protected: &self.protected,
            opened: &self.opened,
        }
    }
}

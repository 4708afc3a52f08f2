//! What the operator decided about running: folders, environment and limits.

use std::{path::PathBuf, thread, time::Duration};

use catalog::{Implementation, Tool};
use process::ProgramAccess;
use workers::WorkerSettings;

use crate::Clock;

/// What the operator decided about running. Handed in; nothing here is read from the machine.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder of the crib, canonical.
    pub crib: PathBuf,
    /// What stands before the name of every tool when it is served; usually nothing.
    pub decoration: String,
    /// The folders that path parameters and the working directory may touch, canonical.
    pub roots: Vec<PathBuf>,
    /// The environment of children, `PATH` among it. They get nothing else of the server's.
    pub environment: Vec<(String, String)>,
    /// What confined children may read beyond the system's folders, the crib and the roots.
    pub read: Vec<PathBuf>,
    /// What confined children may write beyond the roots: caches, say. Read-only tools may, too.
    pub write: Vec<PathBuf>,
    /// Whether children are confined.
    pub confine: bool,
    /// How long a call may run if its tool says nothing.
    pub timeout: Duration,
    /// How long a process has to end by itself before it is killed.
    pub grace: Duration,
    /// How much of each output stream is kept in memory and answered.
    pub output_bytes: usize,
    /// The folder for whole outputs; made on first use, for its owner only.
    pub spill: PathBuf,
    /// How much of one output stream is kept on disk.
    pub spill_bytes: u64,
    /// The folder in which each call gets a private temporary folder.
    pub temp: PathBuf,
    /// How much memory a child may allocate.
    pub memory_bytes: u64,
    /// How many processes run at once; others wait their turn.
    pub concurrency: usize,
    /// How long the answer to an asynchronous call is held back in case the result is there by then.
    pub patience: Duration,
    /// How long operations are kept after their end.
    pub keep: Duration,
    /// How many processes of R and Python wait for calls at most, one for each session and language.
    pub workers: usize,
    /// How long such a process waits for the next call of its session before it ends.
    pub worker_idle: Duration,
    /// How long a session that is known by a handle is kept without being used.
    pub handle_life: Duration,
    /// How long an R function may run if its tool says nothing, where that is not as for programs.
    pub r_timeout: Option<Duration>,
    /// How much memory an R process may allocate, where that is not as for programs.
    pub r_memory_bytes: Option<u64>,
    /// Where times of day come from.
    pub clock: Clock,
}

impl Settings {
    /// The defaults for a crib.
    pub fn new(crib: PathBuf) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let user = rustix::process::getuid().as_raw();
        Self {
            roots: vec![crib.clone()],
            decoration: String::new(),
            crib,
            environment: vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())],
            read: Vec::new(),
            write: Vec::new(),
            confine: true,
            timeout: Duration::from_secs(300),
            grace: Duration::from_secs(2),
            output_bytes: 64 * 1024,
            spill: PathBuf::from(format!("/tmp/toolcrib-{user}")),
            spill_bytes: 256 * 1024 * 1024,
            temp: PathBuf::from("/tmp"),
            memory_bytes: 4 * 1024 * 1024 * 1024,
            concurrency: 2 * cores,
            patience: Duration::from_secs(2),
            keep: Duration::from_secs(30 * 86_400),
            workers: (2 * cores).max(8),
            worker_idle: Duration::from_secs(30 * 60),
            handle_life: Duration::from_secs(60 * 60),
            r_timeout: None,
            r_memory_bytes: None,
            clock: Clock::default(),
        }
    }

    /// What all programs may access.
    pub(crate) fn access(&self) -> ProgramAccess<'_> {
        ProgramAccess {
            folder: &self.crib,
            roots: &self.roots,
            read: &self.read,
            write: &self.write,
            environment: &self.environment,
            is_sandboxed: self.confine,
            memory_bytes: self.memory_bytes,
        }
    }

    /// The settings of R and Python workers.
    pub(crate) fn for_workers(&self) -> WorkerSettings {
        WorkerSettings {
            crib: self.crib.clone(),
            roots: self.roots.clone(),
            read: self.read.clone(),
            write: self.write.clone(),
            environment: self.environment.clone(),
            is_sandboxed: self.confine,
            memory_bytes: self.memory_bytes,
            r_memory_bytes: self.r_memory_bytes,
            grace: self.grace,
            max_workers: self.workers,
            idle_time: self.worker_idle,
            session_lifetime: self.handle_life,
        }
    }

    /// How long a call of a tool may take.
    pub(crate) fn time_for(&self, tool: &Tool) -> Duration {
        let of_language =
            matches!(tool.implementation, Implementation::R(_)).then_some(self.r_timeout).flatten();
        tool.timeout.or(of_language).unwrap_or(self.timeout)
    }
}

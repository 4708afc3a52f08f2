//! Folders, environment and limits of a server.

use std::{fs, path::PathBuf, thread, time::Duration};

use catalog::{Implementation, Tool};
use process::{OpenedPaths, ProgramAccess, ProtectedPaths, SandboxLevel, r_libraries, search_path};
use workers::{WorkerSettings, python_folders};

use crate::{Clock, GrantsByProgram, Notification};

/// The settings of a runtime, independent of its definitions.
const CONFIGURATION: [&str; 4] = ["toolcrib.toml", "toolcrib.lock", "tool_guidance.json", "tools"];

/// Folders, environment and limits of a server. The caller provides them; the runtime reads neither
/// configuration nor environment.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder of the crib, canonical.
    pub crib: PathBuf,
    /// A prefix of every served tool name; usually empty.
    pub decoration: String,
    /// The folders in which path parameters and working directories must be, canonical.
    pub roots: Vec<PathBuf>,
    /// The whole environment of child processes, including `PATH`.
    pub environment: Vec<(String, String)>,
    /// Paths that child processes may read in addition to system folders, the crib and the roots.
    pub read: Vec<PathBuf>,
    /// Paths that child processes, even of read-only tools, may write in addition to the roots, such as
    /// caches.
    pub write: Vec<PathBuf>,
    /// Additional grants of certain programs.
    pub programs: GrantsByProgram,
    /// Whether child processes are sandboxed.
    pub confine: bool,
    /// The weakest sandbox level at which programs are started.
    pub require: SandboxLevel,
    /// The timeout of tools that declare none.
    pub timeout: Duration,
    /// Grace period between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// Maximum bytes of each output stream in memory and in the result.
    pub output_bytes: usize,
    /// The folder for long outputs; created on first use, for its owner only.
    pub output_folder: PathBuf,
    /// Maximum bytes of one output stream on disk.
    pub output_file_bytes: u64,
    /// The folder in which each call gets a private temporary folder.
    pub temp: PathBuf,
    /// Maximum memory that each process of a call may allocate and all of them may use together, in
    /// bytes.
    pub memory_bytes: u64,
    /// Maximum number of processes and threads of a call.
    pub processes: u64,
    /// Maximum bytes in the private folders of a call.
    pub temp_bytes: u64,
    /// Maximum number of concurrent calls; others queue.
    pub concurrency: usize,
    /// Delay of the answer to an asynchronous call, in which its outcome may arrive.
    pub answer_within: Duration,
    /// Retention of operations after their end.
    pub keep: Duration,
    /// Maximum bytes of finished operations to keep, with their output files; also of the long outputs
    /// of other calls.
    pub keep_bytes: u64,
    /// Maximum number of warm R and Python processes; each session has one per language.
    pub workers: usize,
    /// Idle timeout of a worker.
    pub worker_idle: Duration,
    /// Idle timeout of a named session.
    pub session_lifetime: Duration,
    /// The timeout of R functions that declare none; `timeout` if absent.
    pub r_timeout: Option<Duration>,
    /// Maximum memory of an R process, in bytes; `memory_bytes` if absent.
    pub r_memory_bytes: Option<u64>,
    /// Paths that tools may not be given for writing: definitions, configuration and the code of
    /// tools.
    pub protected: ProtectedPaths,
    /// The granted paths, opened when the crib was loaded.
    pub opened: OpenedPaths,
    /// While this file exists, every approval needs a passphrase, which a form cannot ask for: MCP
    /// forbids secrets in forms. Approvals are then given at a terminal only.
    pub passphrase_file: Option<PathBuf>,
    /// The operator's command that runs when a call starts to wait for approval.
    pub notification: Option<Notification>,
    /// The source of wall-clock time.
    pub clock: Clock,
}

impl Settings {
    /// The defaults for a crib.
    pub fn new(crib: PathBuf) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let user = rustix::process::getuid().as_raw();
        let protected = ProtectedPaths::new(CONFIGURATION.map(|name| crib.join(name)));
        Self {
            roots: vec![crib.clone()],
            decoration: String::new(),
            crib,
            environment: vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())],
            read: Vec::new(),
            write: Vec::new(),
            programs: GrantsByProgram::default(),
            confine: true,
            require: SandboxLevel::None,
            timeout: Duration::from_secs(300),
            grace: Duration::from_secs(2),
            output_bytes: 16 * 1024,
            output_folder: PathBuf::from(format!("/tmp/toolcrib-{user}")),
            output_file_bytes: 256 * 1024 * 1024,
            temp: PathBuf::from("/tmp"),
            memory_bytes: 4 * 1024 * 1024 * 1024,
            processes: 512,
            temp_bytes: 4 * 1024 * 1024 * 1024,
            concurrency: 2 * cores,
            answer_within: Duration::from_secs(2),
            keep: Duration::from_secs(30 * 86_400),
            keep_bytes: 1 << 30,
            workers: default_workers(),
            worker_idle: Duration::from_secs(30 * 60),
            session_lifetime: Duration::from_secs(60 * 60),
            r_timeout: None,
            r_memory_bytes: None,
            protected,
            opened: OpenedPaths::default(),
            passphrase_file: None,
            notification: None,
            clock: Clock::default(),
        }
    }

    /// The access of all programs.
    pub(crate) fn access(&self) -> ProgramAccess<'_> {
        ProgramAccess {
            folder: &self.crib,
            roots: &self.roots,
            read: &self.read,
            write: &self.write,
            environment: &self.environment,
            is_sandboxed: self.confine,
            memory_bytes: self.memory_bytes,
            processes: self.processes,
            temp_bytes: self.temp_bytes,
            protected: &self.protected,
            opened: &self.opened,
        }
    }

    /// Opens everything that programs are granted. From then on a program that replaces one of these
    /// folders by a link does not change what others are granted.
    pub(crate) fn open_paths(&mut self) {
        let (read, write) = self.programs.paths();
        let writable: Vec<_> =
            self.roots.iter().chain(&self.write).chain(&write).cloned().collect();
        let configured =
            self.read.iter().chain(&read).chain(&writable).chain([&self.crib]).cloned();
        let found = search_path(&self.environment)
            .chain(r_libraries(&self.environment))
            .chain(python_folders(&self.crib, &self.environment));
        self.opened = OpenedPaths::open(configured.chain(found), &writable);
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
            processes: self.processes,
            temp_bytes: self.temp_bytes,
            r_memory_bytes: self.r_memory_bytes,
            protected: self.protected.clone(),
            opened: self.opened.clone(),
            python_folders: python_folders(&self.crib, &self.environment),
            grace: self.grace,
            max_workers: self.workers,
            idle_time: self.worker_idle,
            session_lifetime: self.session_lifetime,
        }
    }

    /// The timeout of a tool.
    pub(crate) fn timeout_of(&self, tool: &Tool) -> Duration {
        let of_language =
            matches!(tool.implementation, Implementation::R(_)).then_some(self.r_timeout).flatten();
        tool.timeout.or(of_language).unwrap_or(self.timeout)
    }
}

/// The number of R and Python processes that take up to a tenth of the memory, within reason: an idle R
/// process takes 40 to 50 MiB. Most are idle, because the number of concurrent calls is limited too.
/// Systems without `/proc` get the minimum.
fn default_workers() -> usize {
    const SHARE: u64 = 512 << 20;
    let read = |path, find: fn(&str) -> Option<u64>| {
        fs::read_to_string(path).ok().and_then(|text| find(&text))
    };
    let machine = read("/proc/meminfo", |text| {
        let kib = text.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse::<u64>();
        kib.ok().map(|kib| kib << 10)
    });
    // In a container, processes may use less than the machine has.
    let container = read("/sys/fs/cgroup/memory.max", |text| text.trim().parse().ok());
    let memory = machine.unwrap_or(0).min(container.unwrap_or(u64::MAX));
    usize::try_from(memory / SHARE).unwrap_or(usize::MAX).clamp(8, 64)
}

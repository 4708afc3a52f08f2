//! Starts processes: chosen environment, own process group, no shell, empty standard input unless
//! requested, sandboxed before the first instruction.
//!
//! On Linux the work is done by a [launcher process](crate::launcher_process). Other systems have none, and
//! no sandbox: there, programs are children of the server.

mod background;
#[cfg(any(not(target_os = "linux"), test))]
#[cfg_attr(
    target_os = "linux",
    expect(dead_code, unreachable_pub, reason = "only its tests use it here")
)]
mod direct;
#[cfg(target_os = "linux")]
mod supervised;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use egress::{EgressProxy, NetworkAccess};
use rustix::process::Signal;
use tokio::{task::spawn_blocking, time::timeout};

#[cfg(not(target_os = "linux"))]
use self::direct as system;
#[cfg(target_os = "linux")]
use self::supervised as system;
use self::system::{ProcessHandle, Supervisor};
use crate::{
    command::Command,
    private_folder::{FolderPool, PrivateFolder},
    process_id::ProcessId,
    process_table::{self, FoundProcess, KilledProcess},
    sandbox::{ListEnforcement, Sandbox, SandboxLevel, list_enforcement, sandbox_support},
};

pub use self::background::{BackgroundProcess, start_background};
pub use self::system::{Child, ChildStdin, ChildStdout};
pub(crate) use self::system::{has_cgroups, has_namespaces};

/// Timeout for killed processes to disappear.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// How a [`Launcher`] starts processes.
#[derive(Clone, Debug)]
pub struct LauncherOptions {
    /// The folder in which private folders are created.
    pub temp_folder: PathBuf,
    /// Whether sandboxes are applied.
    pub is_sandboxed: bool,
    /// The weakest level at which programs are started.
    pub required: SandboxLevel,
    /// The strongest level that is applied where the machine allows it.
    pub strongest: SandboxLevel,
}

impl LauncherOptions {
    /// Sandboxed as strongly as the machine allows.
    pub fn new(temp_folder: PathBuf) -> Self {
        Self {
            temp_folder,
            is_sandboxed: true,
            required: SandboxLevel::None,
            strongest: SandboxLevel::Namespaces,
        }
    }

    /// The level that sandboxed programs get. Starts the launcher process to find out.
    fn find_level(&self) -> io::Result<SandboxLevel> {
        if !self.is_sandboxed || !sandbox_support().files {
            return Ok(SandboxLevel::None);
        }
        let found =
            if has_namespaces()? { SandboxLevel::Namespaces } else { SandboxLevel::Landlock };
        Ok(found.min(self.strongest))
    }

    /// The level that a program gets, unless it is weaker than what the operator requires.
    fn check_level(&self, sandbox: &Sandbox) -> io::Result<SandboxLevel> {
        // Programs of the operator run with the rights of the operator.
        if sandbox.is_unrestricted {
            return Ok(SandboxLevel::None);
        }
        let found = self.find_level()?;
        self.check_network(sandbox, found)?;
        if found >= self.required {
            return Ok(found);
        }
        Err(io::Error::other(format!(
            "the sandbox has level `{found}` here, and `[confine] require` in toolcrib.toml asks for \
             `{}`; run `toolcrib doctor` to see what is missing",
            self.required
        )))
    }

    /// Refuses a list of destinations that could not be enforced. An operator who switched the
    /// sandbox off has decided otherwise.
    fn check_network(&self, sandbox: &Sandbox, level: SandboxLevel) -> io::Result<()> {
        let NetworkAccess::Only(list) = &sandbox.network else {
            return Ok(());
        };
        if !self.is_sandboxed || list_enforcement(level) != ListEnforcement::Refused {
            return Ok(());
        }
        let list: Vec<_> = list.iter().map(ToString::to_string).collect();
        Err(io::Error::other(format!(
            "this machine cannot restrict its network to {}: that needs namespaces or Landlock 4; run \
             `toolcrib doctor` to see what is missing, or declare `\"network\": true` to allow every \
             destination",
            list.join(", ")
        )))
    }
}

/// Starts processes. One for a server, shared in an `Arc`.
pub struct Launcher {
    options: LauncherOptions,
    folders: FolderPool,
}

/// A started process. If it is dropped before it was finished or killed, it and all of its
/// descendants are killed.
pub struct ChildProcess {
    /// The process, with its pipes.
    pub child: Child,
    /// Its process group.
    pub group: ProcessGroup,
    /// The sandbox level that was applied to it.
    pub level: SandboxLevel,
    /// When the start was requested.
    pub(crate) requested: Instant,
    /// Whether the caller chose the place of the private folder, which is then not recycled.
    has_chosen_folder: bool,
    /// Taken when the process is known to be gone.
    folder: Option<PrivateFolder>,
    /// Connects it to its network destinations, if it has a list of them.
    _egress: Option<EgressProxy>,
    supervisor: Option<Supervisor>,
    launcher: Arc<Launcher>,
}

/// The process group of a [`ChildProcess`].
#[derive(Clone, Debug)]
pub struct ProcessGroup(ProcessHandle);

/// A program that has started.
struct Running {
    child: Child,
    supervisor: Supervisor,
    level: SandboxLevel,
    folder: PrivateFolder,
    egress: Option<EgressProxy>,
}

/// Why a program could not be started.
#[derive(Debug, thiserror::Error)]
#[error("`{program}` could not be started: {}", self.reason())]
pub struct LaunchError {
    /// The path of the program.
    pub program: String,
    /// The error of the operating system.
    pub source: io::Error,
}

impl LaunchError {
    /// The reason alone. The program itself was found before, so "not found" means the interpreter in
    /// its first line.
    pub fn reason(&self) -> String {
        match self.source.kind() {
            io::ErrorKind::NotFound => "its interpreter was not found".to_owned(),
            _ => self.source.to_string(),
        }
    }
}

/// The error of a start, with the name of the working directory if that is what is missing.
fn name_folder(command: &Command, error: io::Error) -> io::Error {
    if Path::new(&command.cwd).is_dir() {
        return error;
    }
    io::Error::other(format!("its working directory `{}` does not exist; create it", command.cwd))
}

impl Launcher {
    /// Creates no folder and starts no launcher process before the first start.
    pub fn new(mut options: LauncherOptions) -> Self {
        // Private folders are opened without following links.
        if let Ok(real) = options.temp_folder.canonicalize() {
            options.temp_folder = real;
        }
        Self { folders: FolderPool::new(options.temp_folder.clone()), options }
    }

    /// The sandbox level that its programs get, other than those that run with the user's rights.
    pub fn level(&self) -> SandboxLevel {
        // Without a launcher process, no program can be started.
        self.options.find_level().unwrap_or_default()
    }

    /// Starts a command with a private folder of its own.
    pub async fn start(
        self: &Arc<Self>,
        command: &Arc<Command>,
    ) -> Result<ChildProcess, LaunchError> {
        self.start_with(command, None).await
    }

    /// Starts a command whose private folder is created at `folder`, which must not exist: its place
    /// is recorded elsewhere so that others can find it.
    pub async fn start_in(
        self: &Arc<Self>,
        command: &Arc<Command>,
        folder: PathBuf,
    ) -> Result<ChildProcess, LaunchError> {
        self.start_with(command, Some(folder)).await
    }

    async fn start_with(
        self: &Arc<Self>,
        command: &Arc<Command>,
        chosen: Option<PathBuf>,
    ) -> Result<ChildProcess, LaunchError> {
        let requested = Instant::now();
        let has_chosen_folder = chosen.is_some();
        let failed = |source| LaunchError { program: command.program.clone(), source };
        let Running { child, supervisor, level, folder, egress } =
            self.launch(command, chosen).await.map_err(failed)?;
        Ok(ChildProcess {
            group: ProcessGroup(child.handle()),
            supervisor: Some(supervisor),
            level,
            child,
            requested,
            has_chosen_folder,
            folder: Some(folder),
            _egress: egress,
            launcher: Arc::clone(self),
        })
    }
}

impl Launcher {
    /// A private folder for a command, with the files that it needs.
    fn create_folder(&self, command: &Command, chosen: Option<&Path>) -> io::Result<PrivateFolder> {
        let folder = match chosen {
            Some(path) => self.folders.create_at(path, &command.label, &command.files)?,
            None => self.folders.take(&command.label, &command.files)?,
        };
        folder.add_copies(&command.copies.files)?;
        folder.add_pipes(&command.pipes)?;
        Ok(folder)
    }
}

impl ChildProcess {
    /// Cleans up after a process that exited by itself: kills its descendants and releases the
    /// private folder.
    pub async fn clean_up(mut self) {
        if !self.child.is_gone() {
            self.group.0.close();
            let _ = timeout(KILL_TIMEOUT, self.child.wait_until_gone()).await;
        }
        // Its processes are gone or being killed, so `drop` need not start a thread for that.
        self.supervisor = None;
        let Some(folder) = self.folder.take() else {
            return;
        };
        if self.has_chosen_folder {
            // The next step of a sequence creates its folder at the same path.
            if let Err(folder) = folder.remove_empty() {
                let _ = spawn_blocking(move || drop(folder)).await;
            }
        } else if let Some(unusable) = self.launcher.folders.give_back(folder) {
            spawn_blocking(move || drop(unusable));
        }
    }

    /// Kills the process and all of its descendants; returns those that were still alive.
    pub async fn kill(mut self) -> Vec<KilledProcess> {
        // Listed while they run, for the report: once the socket is closed they disappear.
        let members = if self.child.is_gone() { Vec::new() } else { self.members().await };
        self.group.0.close();
        // The caller may check that it is gone as soon as this returns.
        let _ = timeout(KILL_TIMEOUT, self.child.wait_until_gone()).await;
        let (supervisor, folder) = (self.supervisor.take(), self.folder.take());
        let is_gone = self.child.is_gone();
        let cleanup = spawn_blocking(move || {
            // Frees a program that hangs in the kernel at least from its supervisor.
            if let Some(supervisor) = supervisor {
                supervisor.kill();
            }
            drop(folder);
        });
        // A program that hangs must not delay the result.
        if is_gone {
            let _ = cleanup.await;
        }
        members.into_iter().map(|found| found.killed_by(Signal::KILL)).collect()
    }

    /// The path of its private folder while it runs.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(PrivateFolder::path)
    }

    /// All processes that belong to it now.
    pub async fn members(&self) -> Vec<FoundProcess> {
        let Some(leader) = self.leader() else {
            return Vec::new();
        };
        let found = spawn_blocking(move || process_table::find_descendants(leader));
        found.await.unwrap_or_default()
    }

    /// The identity of its supervisor: all processes of this command descend from it, and die with
    /// it.
    pub fn leader(&self) -> Option<ProcessId> {
        self.supervisor.as_ref()?.id()
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        if let Some(supervisor) = self.supervisor.take() {
            supervisor.close();
            let folder = self.folder.take();
            // A thread, because the last handle may be dropped outside of a runtime. If none can be
            // started, the supervisor kills the processes all the same.
            let _ = thread::Builder::new().spawn(move || {
                supervisor.kill();
                drop(folder);
            });
        }
    }
}

impl ProcessGroup {
    /// Sends a signal to every process in the group. An empty group is not an error.
    pub fn signal(&self, signal: Signal) {
        self.0.signal(signal);
    }

    /// Sends SIGTERM to all processes of the command, in the group or not.
    pub fn terminate(&self) {
        self.0.terminate();
    }
}

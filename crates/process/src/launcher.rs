//! Starts processes: chosen environment, own process group, no shell, empty standard input unless
//! requested, sandboxed before the first instruction.
//!
//! The work is done by a [launcher process](crate::launcher_process); this is the side of the server.

mod child;
mod connection;

use std::{
    ffi::CString,
    io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use egress::{EgressProxy, NetworkAccess, proxy_variables};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Signal, pidfd_send_signal},
};
use tokio::{task::spawn_blocking, time::timeout};

use self::child::{OwnStreams, Started, StatusSocket, create_streams};
use crate::{
    command::{Command, Word, private_variables},
    private_folder::{FolderPool, PrivateFolder},
    process_id::ProcessId,
    process_table::{self, FoundProcess, KilledProcess},
    protocol::{Control, MAX_GRANTED, StartRequest},
    sandbox::{self, ListEnforcement, Sandbox, SandboxLevel, list_enforcement, sandbox_support},
};

pub use self::child::{Child, ChildStdin, ChildStdout};
pub use self::connection::{BackgroundProcess, start_background};
pub(crate) use self::connection::{has_cgroups, has_namespaces};

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

/// The process that reaps all descendants of a program.
struct Supervisor {
    /// 0 if it is not known.
    pid: u32,
    pidfd: OwnedFd,
    status: StatusSocket,
}

/// The process group of a [`ChildProcess`].
#[derive(Clone, Debug)]
pub struct ProcessGroup(StatusSocket);

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
        // If the caller is gone, dropping the status socket kills the program.
        let sent = if is_quick(command) && connection::is_open() {
            // Some ten short system calls: waking up another thread and this one again takes longer.
            self.request_start(command, chosen.as_deref())
        } else {
            let (launcher, own) = (Arc::clone(self), Arc::clone(command));
            let sent = spawn_blocking(move || launcher.request_start(&own, chosen.as_deref()));
            sent.await.unwrap_or_else(|error| Err(error.into()))
        };
        let sent = sent.map_err(failed)?;
        let started = Child::start(sent.streams, sent.status).await;
        let Started { child, pid, pidfd, listeners } =
            started.map_err(|source| failed(name_folder(command, source)))?;
        let egress = match &command.sandbox.network {
            // Without namespaces there are no listeners; Landlock restricts the ports instead.
            NetworkAccess::Only(list) if !listeners.is_empty() => {
                Some(EgressProxy::start(list, listeners).map_err(failed)?)
            }
            _ => None,
        };
        let status = child.status();
        Ok(ChildProcess {
            group: ProcessGroup(status.clone()),
            supervisor: Some(Supervisor { pid, pidfd, status }),
            level: sent.level,
            child,
            requested,
            has_chosen_folder,
            folder: Some(sent.folder),
            _egress: egress,
            launcher: Arc::clone(self),
        })
    }

    /// Prepares the private folder and sends the request to the launcher process.
    fn request_start(&self, command: &Command, chosen: Option<&Path>) -> io::Result<SentRequest> {
        let level = self.options.check_level(&command.sandbox)?;
        let folder = match chosen {
            Some(path) => self.folders.create_at(path, &command.label, &command.files)?,
            None => self.folders.take(&command.label, &command.files)?,
        };
        folder.add_copies(&command.copies.files)?;
        folder.add_pipes(&command.pipes)?;
        let (request, granted) = self.build_request(command, folder.path(), level)?;
        let (status, other) = connection::packet_sockets()?;
        let (streams, of_child) = create_streams(command.stdin.is_some())?;
        let [stdin, stdout, stderr] = of_child.descriptors();
        let descriptors = [&[other.as_fd(), stdin, stdout, stderr][..], &granted].concat();
        connection::send_request(&request.encode(), &descriptors)?;
        Ok(SentRequest { folder, streams, status, level })
    }

    /// The request, and the descriptors of granted paths that go with it.
    fn build_request<'c>(
        &self,
        command: &'c Command,
        folder: &Path,
        level: SandboxLevel,
    ) -> io::Result<(StartRequest, Vec<BorrowedFd<'c>>)> {
        let private = private_variables(&command.env).map(|name| {
            let value = folder.as_os_str().as_bytes();
            [name.as_bytes(), b"=", value].concat()
        });
        let proxy = proxy_of(&command.sandbox, level);
        // The user's own proxy cannot be reached from the network namespace of the program.
        let is_replaced = |name: &str| proxy.iter().any(|(other, _)| other == name);
        let env = command.env.iter().filter(|(name, _)| !is_replaced(name)).chain(&proxy);
        let env = env.map(|(name, value)| format!("{name}={value}").into_bytes());
        let argv = command.argv.iter().map(|word| match word {
            Word::Text(text) => text.clone().into_bytes(),
            Word::File { prefix, name } => {
                [prefix.as_bytes(), folder.join(name).as_os_str().as_bytes()].concat()
            }
        });
        let (sandbox, descriptors) = command.sandbox.resolve_opened();
        // The launcher process opens the others by their paths without links.
        let (granted, descriptors): (Vec<_>, Vec<_>) = descriptors
            .into_iter()
            .take(MAX_GRANTED)
            .map(|(path, fd)| (path.to_owned(), fd))
            .unzip();
        let request = StartRequest {
            program: match &command.copies.program {
                Some(name) => CString::new(folder.join(name).as_os_str().as_bytes())?,
                None => CString::new(command.program.as_str())?,
            },
            argv: argv.map(CString::new).collect::<Result<_, _>>()?,
            env: env.chain(private).map(CString::new).collect::<Result<_, _>>()?,
            cwd: PathBuf::from(&command.cwd),
            folder: folder.to_owned(),
            open_files: sandbox::open_file_limit(),
            is_sandboxed: self.options.is_sandboxed,
            uses_namespaces: self.options.strongest == SandboxLevel::Namespaces,
            has_stdin: command.stdin.is_some(),
            granted,
            sandbox,
        };
        Ok((request, descriptors))
    }
}

/// Whether nothing has to be written to the disk before a command can be started.
fn is_quick(command: &Command) -> bool {
    command.files.is_empty() && command.pipes.is_empty()
}

/// The variables that lead a program with a list of destinations to its proxy.
fn proxy_of(sandbox: &Sandbox, level: SandboxLevel) -> Vec<(String, String)> {
    match &sandbox.network {
        NetworkAccess::Only(list) if list_enforcement(level) == ListEnforcement::HostsAndPorts => {
            proxy_variables(list).collect()
        }
        _ => Vec::new(),
    }
}

/// A request that was sent to the launcher process.
struct SentRequest {
    folder: PrivateFolder,
    streams: OwnStreams,
    status: OwnedFd,
    level: SandboxLevel,
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

impl Supervisor {
    /// Its identity, if it still runs. Read when it is needed: most programs end before that.
    fn id(&self) -> Option<ProcessId> {
        let id = ProcessId::from_pid(self.pid)?;
        // Checked afterwards, because the process that was found is this one only if it still has
        // the id.
        let mut exit = [PollFd::new(&self.pidfd, PollFlags::IN)];
        poll(&mut exit, Some(&Timespec::default())).is_ok_and(|ready| ready == 0).then_some(id)
    }

    /// Makes the supervisor kill all processes, and kills it if it does not.
    fn kill(self) {
        self.status.close();
        let mut exit = [PollFd::new(&self.pidfd, PollFlags::IN)];
        // Without a pid namespace, processes survive a supervisor that is killed before it has killed
        // them, so it gets more time than it needs for a fork bomb.
        let limit = Timespec { tv_sec: 10, tv_nsec: 0 };
        if !poll(&mut exit, Some(&limit)).is_ok_and(|ready| ready > 0) {
            let _ = pidfd_send_signal(&self.pidfd, Signal::KILL);
        }
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        if let Some(supervisor) = self.supervisor.take() {
            supervisor.status.close();
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
        self.0.send(Control::Signal(signal.as_raw()));
    }

    /// Sends SIGTERM to all processes of the command, in the group or not.
    pub fn terminate(&self) {
        self.0.send(Control::Terminate);
    }
}

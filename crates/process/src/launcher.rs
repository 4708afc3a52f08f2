//! The only place that starts processes: chosen environment, own process group, no shell, empty
//! standard input unless requested, sandboxed before the first instruction.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::{
    process::{self, Child},
    runtime::Handle,
    sync::oneshot,
    task::spawn_blocking,
    time::timeout,
};

use crate::{
    command::{Command, Word, private_variables},
    private_folder::{FolderPool, PrivateFolder},
    process_id::ProcessId,
    process_table::{self, FoundProcess, KilledProcess, ProcessQuery},
    sandbox::{self, Enforcer},
    server_tag,
};

/// Enough for a thread that only makes system calls.
const STACK_BYTES: usize = 256 * 1024;
/// How long to wait for a killed process to disappear.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// How a [`Launcher`] starts processes.
#[derive(Clone, Debug)]
pub struct LauncherOptions {
    /// The folder in which private folders are created.
    pub temp_folder: PathBuf,
    /// Whether sandboxes are applied.
    pub is_sandboxed: bool,
}

/// Starts processes. One for a server, shared in an `Arc`.
pub struct Launcher {
    /// Absent if the operator switched the sandbox off.
    enforcer: Option<Enforcer>,
    folders: FolderPool,
}

/// A started process. If it is dropped before it was finished or killed, it and its process group
/// are killed.
pub struct ChildProcess {
    /// The process, with its pipes.
    pub child: Child,
    /// Its process group.
    pub group: ProcessGroup,
    /// When the start was requested.
    pub(crate) requested: Instant,
    /// Whether the caller chose the place of the private folder, which is then not recycled.
    has_chosen_folder: bool,
    /// Taken when the process is known to be gone.
    folder: Option<PrivateFolder>,
    launcher: Arc<Launcher>,
}

/// The process group of a [`ChildProcess`].
#[derive(Clone, Copy, Debug)]
pub struct ProcessGroup(Pid);

/// Why a program could not be started.
#[derive(Debug, thiserror::Error)]
#[error("`{program}` could not be started: {}", self.reason())]
pub struct LaunchError {
    /// The path of the program.
    pub program: String,
    /// What the operating system reported.
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

impl Launcher {
    /// Creates no folder and probes no kernel feature before the first start.
    pub fn new(options: LauncherOptions) -> Self {
        Self {
            enforcer: options.is_sandboxed.then(Enforcer::default),
            folders: FolderPool::new(options.temp_folder),
        }
    }

    /// Starts a command with a private folder of its own.
    pub async fn start(
        self: &Arc<Self>,
        command: &Arc<Command>,
    ) -> Result<ChildProcess, LaunchError> {
        self.start_on_thread(command, None).await
    }

    /// Starts a command whose private folder is created at `folder`, which must not exist: its place
    /// is recorded elsewhere so that others can find the processes.
    pub async fn start_in(
        self: &Arc<Self>,
        command: &Arc<Command>,
        folder: PathBuf,
    ) -> Result<ChildProcess, LaunchError> {
        self.start_on_thread(command, Some(folder)).await
    }

    /// A fresh thread does it, because the sandbox restricts the thread that applies it, irrevocably.
    async fn start_on_thread(
        self: &Arc<Self>,
        command: &Arc<Command>,
        folder: Option<PathBuf>,
    ) -> Result<ChildProcess, LaunchError> {
        let requested = Instant::now();
        let failed = |source| LaunchError { program: command.program.clone(), source };
        let (sender, receiver) = oneshot::channel();
        let (launcher, runtime, own) = (Arc::clone(self), Handle::current(), Arc::clone(command));
        thread::Builder::new()
            .name("spawn".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let _entered = runtime.enter();
                // If the caller is gone, dropping the unsent child kills it.
                let _ = sender.send(launcher.start_here(&own, folder.as_deref(), requested));
            })
            .map_err(failed)?;
        let lost = |_| io::Error::other("the thread that starts programs ended early");
        receiver.await.map_err(lost).flatten().map_err(failed)
    }

    fn start_here(
        self: Arc<Self>,
        command: &Command,
        chosen: Option<&Path>,
        requested: Instant,
    ) -> io::Result<ChildProcess> {
        let folder = match chosen {
            Some(path) => self.folders.create_at(path, &command.label, &command.files)?,
            None => self.folders.take(&command.label, &command.files)?,
        };
        folder.add_pipes(&command.pipes)?;
        let mut builder = build_command(command, &folder);
        server_tag::attach();
        if let Some(enforcer) = &self.enforcer {
            enforcer.restrict_current_thread(&command.sandbox, folder.path())?;
        }
        let child = builder.spawn()?;
        let id = child
            .id()
            .and_then(|id| Pid::from_raw(id.cast_signed()))
            .expect("a child that was not waited for has an id");
        sandbox::set_limits(id, command.sandbox.memory_bytes);
        Ok(ChildProcess {
            child,
            group: ProcessGroup(id),
            requested,
            has_chosen_folder: chosen.is_some(),
            folder: Some(folder),
            launcher: self,
        })
    }
}

fn build_command(command: &Command, folder: &PrivateFolder) -> process::Command {
    let mut builder = process::Command::new(&command.program);
    let mut words = command.argv.iter();
    if let Some(Word::Text(name)) = words.next() {
        builder.arg0(name);
    }
    for word in words {
        match word {
            Word::Text(text) => builder.arg(text),
            Word::File { prefix, name } => {
                let mut word = OsString::from(prefix);
                word.push(folder.path().join(name));
                builder.arg(word)
            }
        };
    }
    builder
        .env_clear()
        .envs(command.env.iter().map(|(name, value)| (name, value)))
        .envs(private_variables(&command.env).map(|name| (name, folder.path())))
        .current_dir(&command.cwd)
        .process_group(0)
        .stdin(if command.stdin.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    builder
}

impl ChildProcess {
    /// Cleans up after a process that exited by itself: kills the rest of its group and releases the
    /// private folder.
    ///
    /// The leader has been waited for, so in theory its id could name an unrelated group by now; in
    /// practice the kernel hands out all other ids first.
    pub async fn clean_up(mut self) {
        self.group.signal(Signal::KILL);
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

    /// Kills the process, its group, and descendants that left the group.
    pub async fn kill(mut self) -> Vec<KilledProcess> {
        self.group.signal(Signal::KILL);
        // Signals take effect asynchronously; a caller that is told "killed" may check right away.
        let _ = timeout(KILL_TIMEOUT, self.child.wait()).await;
        let Some(folder) = self.folder.take() else {
            return Vec::new();
        };
        spawn_blocking(move || kill_stragglers(&folder)).await.unwrap_or_default()
    }

    /// The path of its private folder while it runs.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(PrivateFolder::path)
    }

    /// All processes that belong to it now.
    pub async fn members(&self) -> Vec<FoundProcess> {
        let Some(folder) = self.folder().map(Path::to_owned) else {
            return Vec::new();
        };
        let leader = self.leader();
        let found = spawn_blocking(move || {
            process_table::find(&[ProcessQuery { leader, folder: &folder }])
        });
        found.await.unwrap_or_default().into_iter().map(|(_, found)| found).collect()
    }

    /// The identity of the process, which leads its group.
    pub fn leader(&self) -> Option<ProcessId> {
        ProcessId::from_pid(self.group.0.as_raw_nonzero().get().cast_unsigned())
    }
}

/// Kills descendants that left the process group.
fn kill_stragglers(folder: &PrivateFolder) -> Vec<KilledProcess> {
    let query = ProcessQuery { leader: None, folder: folder.path() };
    process_table::kill(&[query]).pop().unwrap_or_default()
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take() {
            self.group.signal(Signal::KILL);
            // If no thread can be started, at least the group is gone.
            let _ = thread::Builder::new().spawn(move || kill_stragglers(&folder));
        }
    }
}

impl ProcessGroup {
    /// Sends a signal to every process in the group. An empty group is not an error.
    pub fn signal(self, signal: Signal) {
        let _ = kill_process_group(self.0, signal);
    }

    /// Whether the group has any process left.
    pub fn is_alive(self) -> bool {
        test_kill_process_group(self.0).is_ok()
    }
}

//! Starts programs as children of the server, without a sandbox: what systems other than Linux allow.
//!
//! A program leads a process group, and ending it kills the group. Nothing finds a process that has left the
//! group, and only time and output are limited.

use std::{
    io::{self, PipeReader, PipeWriter},
    os::{fd::OwnedFd, unix::process::CommandExt},
    process::{self, ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::{net::unix::pipe, time::sleep};

#[cfg(not(target_os = "linux"))]
use super::{Launcher, Running, name_folder};
#[cfg(not(target_os = "linux"))]
use crate::command::Command;
use crate::{process_id::ProcessId, sandbox::Violation};

/// How often to check whether a process group is gone: nothing reports that.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Timeout for a killed process group to disappear.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);

/// The pipe to standard input of a program.
pub type ChildStdin = pipe::Sender;
/// The pipe from standard output or standard error of a program.
pub type ChildStdout = pipe::Receiver;

/// A program that was started by this process.
pub struct Child {
    /// Its standard input, if it was requested.
    pub stdin: Option<ChildStdin>,
    /// Its standard output.
    pub stdout: Option<ChildStdout>,
    /// Its standard error.
    pub stderr: Option<ChildStdout>,
    process: tokio::process::Child,
    group: ProcessHandle,
}

/// The standard input of a program.
#[derive(Clone, Copy)]
enum Input {
    Empty,
    Piped,
}

/// The process group of a program.
#[derive(Clone, Debug)]
pub(super) struct ProcessHandle(Arc<Group>);

#[derive(Debug)]
struct Group {
    id: Pid,
    /// Its id may belong to another group by now.
    is_gone: AtomicBool,
}

/// Kills a process group. No process supervises it.
pub(super) struct Supervisor(ProcessHandle);

/// No namespaces are used.
pub(crate) fn has_namespaces() -> io::Result<bool> {
    Ok(false)
}

/// No control groups are used.
pub(crate) fn has_cgroups() -> io::Result<bool> {
    Ok(false)
}

#[cfg(not(target_os = "linux"))]
impl Launcher {
    /// Starts a command.
    pub(super) async fn launch(
        self: &Arc<Self>,
        command: &Arc<Command>,
        chosen: Option<std::path::PathBuf>,
    ) -> io::Result<Running> {
        let level = self.options.check_level(&command.sandbox)?;
        let folder = self.create_folder(command, chosen.as_deref())?;
        let mut program = process::Command::new(command.program_in(folder.path()));
        let mut argv = command.argv_in(folder.path());
        if let Some(name) = argv.next() {
            program.arg0(name);
        }
        program.args(argv).env_clear().envs(command.env_in(folder.path(), &[]));
        program.current_dir(&command.cwd);
        let input = if command.stdin.is_some() { Input::Piped } else { Input::Empty };
        let started = Child::start(program, input);
        let child = started.map_err(|error| name_folder(command, error))?;
        let supervisor = Supervisor(child.handle());
        Ok(Running { child, supervisor, level, folder, egress: None })
    }
}

impl Child {
    fn start(mut program: process::Command, input: Input) -> io::Result<Self> {
        let (stdout, of_program) = io::pipe()?;
        program.stdout(of_program);
        let (stderr, of_program) = io::pipe()?;
        program.stderr(of_program);
        let stdin = match input {
            Input::Empty => {
                program.stdin(Stdio::null());
                None
            }
            Input::Piped => {
                let (of_program, stdin) = io::pipe()?;
                program.stdin(of_program);
                Some(stdin)
            }
        };
        program.process_group(0);
        let process = tokio::process::Command::from(program).spawn()?;
        let id = process.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let id = id.ok_or_else(|| io::Error::other("the program has no process id"))?;
        Ok(Self {
            stdin: stdin.map(to_sender).transpose()?,
            stdout: Some(to_receiver(stdout)?),
            stderr: Some(to_receiver(stderr)?),
            process,
            group: ProcessHandle(Arc::new(Group { id, is_gone: AtomicBool::new(false) })),
        })
    }

    /// Waits until the program exits. Cancel-safe.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.process.wait().await
    }

    /// The exit status, if the program has exited.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.process.try_wait()
    }

    /// Waits until the program and its process group are gone. Cancel-safe.
    pub(crate) async fn wait_until_gone(&mut self) {
        // Until then, the program is in the group as a zombie.
        let _ = self.process.wait().await;
        while !self.group.is_gone() {
            sleep(CHECK_INTERVAL).await;
        }
    }

    /// Nothing watches the program.
    pub fn violation(&self) -> Option<Violation> {
        None
    }

    /// Whether the program and its process group are known to be gone.
    pub(crate) fn is_gone(&mut self) -> bool {
        self.process.try_wait().is_ok_and(|status| status.is_some()) && self.group.is_gone()
    }

    pub(super) fn handle(&self) -> ProcessHandle {
        self.group.clone()
    }
}

fn to_sender(pipe: PipeWriter) -> io::Result<ChildStdin> {
    let pipe = OwnedFd::from(pipe);
    rustix::io::ioctl_fionbio(&pipe, true)?;
    ChildStdin::from_owned_fd(pipe)
}

fn to_receiver(pipe: PipeReader) -> io::Result<ChildStdout> {
    let pipe = OwnedFd::from(pipe);
    rustix::io::ioctl_fionbio(&pipe, true)?;
    ChildStdout::from_owned_fd(pipe)
}

impl ProcessHandle {
    /// Sends a signal to the process group. Errors are ignored, because a group that is gone needs none.
    pub(super) fn signal(&self, signal: Signal) {
        if !self.0.is_gone.load(Ordering::Relaxed) {
            let _ = kill_process_group(self.0.id, signal);
        }
    }

    /// Sends SIGTERM to the process group.
    pub(super) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Kills the process group.
    pub(super) fn close(&self) {
        self.signal(Signal::KILL);
    }

    /// Whether no process of the group is left. The program itself must have been waited for.
    fn is_gone(&self) -> bool {
        let is_gone =
            self.0.is_gone.load(Ordering::Relaxed) || test_kill_process_group(self.0.id).is_err();
        self.0.is_gone.store(is_gone, Ordering::Relaxed);
        is_gone
    }
}

impl Supervisor {
    /// Kills the process group.
    pub(super) fn close(&self) {
        self.0.close();
    }

    /// No process is known that all others descend from.
    pub(super) fn id(&self) -> Option<ProcessId> {
        None
    }

    /// Kills the process group and waits until it is gone.
    pub(super) fn kill(self) {
        self.close();
        let killed = Instant::now();
        while !self.0.is_gone() && killed.elapsed() < KILL_TIMEOUT {
            thread::sleep(CHECK_INTERVAL);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{error::Error, io, os::unix::process::ExitStatusExt, time::Duration};

    use rustix::process::{Pid, test_kill_process};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        time::timeout,
    };

    use super::{Child, Input, Supervisor, process};

    fn start(script: &str, input: Input) -> io::Result<Child> {
        let mut program = process::Command::new("/bin/sh");
        program.args(["-c", script]).env_clear().env("GREETING", "hello");
        Child::start(program, input)
    }

    #[tokio::test]
    async fn passes_input_and_environment_and_returns_output_and_exit_code()
    -> Result<(), Box<dyn Error>> {
        let mut child = start("read name; echo \"$GREETING $name $HOME\"; exit 3", Input::Piped)?;
        let mut stdin = child.stdin.take().ok_or("no stdin")?;
        stdin.write_all(b"you\n").await?;
        drop(stdin);
        let mut text = String::new();
        child.stdout.take().ok_or("no stdout")?.read_to_string(&mut text).await?;
        assert_eq!(text, "hello you \n");
        assert_eq!(child.wait().await?.code(), Some(3));
        child.wait_until_gone().await;
        assert!(child.is_gone());
        Ok(())
    }

    #[tokio::test]
    async fn killing_a_program_kills_its_children() -> Result<(), Box<dyn Error>> {
        let mut child = start("sleep 4713 & echo $!; wait", Input::Empty)?;
        let mut line = [0; 16];
        let read = child.stdout.as_mut().ok_or("no stdout")?.read(&mut line).await?;
        let grandchild: i32 = String::from_utf8_lossy(&line[..read]).trim().parse()?;
        let grandchild = Pid::from_raw(grandchild).ok_or("no process id")?;
        assert!(test_kill_process(grandchild).is_ok() && !child.is_gone());
        Supervisor(child.handle()).close();
        timeout(Duration::from_secs(20), child.wait_until_gone()).await?;
        assert_eq!(child.wait().await?.signal(), Some(9));
        Ok(())
    }
}

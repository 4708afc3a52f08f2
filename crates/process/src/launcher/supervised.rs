//! Starts programs by the launcher process, which sandboxes and supervises them.

mod child;
mod connection;

use std::{
    ffi::{CString, OsString},
    io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Path, PathBuf},
    sync::Arc,
};

use egress::{EgressProxy, NetworkAccess, proxy_variables};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Signal, pidfd_send_signal},
};
use tokio::task::spawn_blocking;

use self::child::{OwnStreams, Started, create_streams};
use super::{Launcher, Running, name_folder};
use crate::{
    command::Command,
    private_folder::PrivateFolder,
    process_id::ProcessId,
    protocol::{MAX_GRANTED, StartRequest},
    sandbox::{self, ListEnforcement, Sandbox, SandboxLevel, list_enforcement},
};

pub(super) use self::child::StatusSocket as ProcessHandle;
pub use self::child::{Child, ChildStdin, ChildStdout};
pub(crate) use self::connection::{has_cgroups, has_namespaces};

/// The process that reaps all descendants of a program.
pub(super) struct Supervisor {
    /// 0 if it is not known.
    pid: u32,
    pidfd: OwnedFd,
    status: ProcessHandle,
}

impl Launcher {
    /// Starts a command and waits until its program was executed.
    pub(super) async fn launch(
        self: &Arc<Self>,
        command: &Arc<Command>,
        chosen: Option<PathBuf>,
    ) -> io::Result<Running> {
        // If the caller is gone, dropping the status socket kills the program.
        let sent = if is_quick(command) && connection::is_open() {
            // Some ten short system calls: waking up another thread and this one again takes longer.
            self.request_start(command, chosen.as_deref())
        } else {
            let (launcher, own) = (Arc::clone(self), Arc::clone(command));
            let sent = spawn_blocking(move || launcher.request_start(&own, chosen.as_deref()));
            sent.await.unwrap_or_else(|error| Err(error.into()))
        };
        let sent = sent?;
        let started = Child::start(sent.streams, sent.status).await;
        let Started { child, pid, pidfd, listeners } =
            started.map_err(|source| name_folder(command, source))?;
        let egress = match &command.sandbox.network {
            // Without namespaces there are no listeners; Landlock restricts the ports instead.
            NetworkAccess::Only(list) if !listeners.is_empty() => {
                Some(EgressProxy::start(list, listeners)?)
            }
            _ => None,
        };
        let supervisor = Supervisor { pid, pidfd, status: child.handle() };
        Ok(Running { child, supervisor, level: sent.level, folder: sent.folder, egress })
    }

    /// Prepares the private folder and sends the request to the launcher process.
    fn request_start(&self, command: &Command, chosen: Option<&Path>) -> io::Result<SentRequest> {
        let level = self.options.check_level(&command.sandbox)?;
        let folder = self.create_folder(command, chosen)?;
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
        // The user's own proxy cannot be reached from the network namespace of the program.
        let proxy = proxy_of(&command.sandbox, level);
        let env = command
            .env_in(folder, &proxy)
            .map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat());
        let argv = command.argv_in(folder).map(OsString::into_vec);
        let (sandbox, descriptors) = command.sandbox.resolve_opened();
        // The launcher process opens the others by their paths without links.
        let (granted, descriptors): (Vec<_>, Vec<_>) = descriptors
            .into_iter()
            .take(MAX_GRANTED)
            .map(|(path, fd)| (path.to_owned(), fd))
            .unzip();
        let request = StartRequest {
            program: CString::new(command.program_in(folder).into_vec())?,
            argv: argv.map(CString::new).collect::<Result<_, _>>()?,
            env: env.map(CString::new).collect::<Result<_, _>>()?,
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

impl Supervisor {
    /// Makes the supervisor kill all processes.
    pub(super) fn close(&self) {
        self.status.close();
    }

    /// Its identity, if it still runs. Read when it is needed: most programs end before that.
    pub(super) fn id(&self) -> Option<ProcessId> {
        let id = ProcessId::from_pid(self.pid)?;
        // Checked afterwards, because the process that was found is this one only if it still has
        // the id.
        let mut exit = [PollFd::new(&self.pidfd, PollFlags::IN)];
        poll(&mut exit, Some(&Timespec::default())).is_ok_and(|ready| ready == 0).then_some(id)
    }

    /// Makes the supervisor kill all processes, and kills it if it does not.
    pub(super) fn kill(self) {
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

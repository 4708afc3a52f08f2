//! A running program, as its server sees it.

use std::{
    io,
    net::TcpListener,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::process::ExitStatusExt,
    },
    process::ExitStatus,
    sync::Arc,
};

use rustix::{
    net::{RecvFlags, SendFlags, Shutdown, shutdown},
    pipe::{PipeFlags, pipe_with},
    process::Signal,
};
use tokio::{
    io::Interest,
    net::{UnixStream, unix::pipe},
};

use crate::{
    protocol::{Control, Packet, ProcessReport, receive, send},
    sandbox::Violation,
};

/// Maximum length of a reply, in bytes. Error messages are the longest.
const REPLY_BYTES: usize = 4096;

/// The pipe to standard input of a program.
pub type ChildStdin = pipe::Sender;
/// The pipe from standard output or standard error of a program.
pub type ChildStdout = pipe::Receiver;

/// A program that was started by the launcher process.
pub struct Child {
    /// Its standard input, if it was requested.
    pub stdin: Option<ChildStdin>,
    /// Its standard output.
    pub stdout: Option<ChildStdout>,
    /// Its standard error.
    pub stderr: Option<ChildStdout>,
    status: StatusSocket,
    exit: Option<ExitStatus>,
    /// The violation that the process was killed for.
    violation: Option<Violation>,
    /// Whether all of its processes are known to be gone.
    is_gone: bool,
}

/// A program that was executed.
pub(super) struct Started {
    pub(super) child: Child,
    /// The process id of its supervisor; 0 if it is not known.
    pub(super) pid: u32,
    /// The handle of its supervisor.
    pub(super) pidfd: OwnedFd,
    /// Listeners in its network namespace.
    pub(super) listeners: Vec<TcpListener>,
}

impl Child {
    /// Waits until the program was executed.
    pub(super) async fn start(streams: OwnStreams, status: OwnedFd) -> io::Result<Started> {
        let mut child = Self {
            stdin: streams.stdin.map(ChildStdin::from_owned_fd).transpose()?,
            stdout: Some(ChildStdout::from_owned_fd(streams.stdout)?),
            stderr: Some(ChildStdout::from_owned_fd(streams.stderr)?),
            status: StatusSocket::new(status)?,
            exit: None,
            violation: None,
            is_gone: false,
        };
        let mut listeners = Vec::new();
        loop {
            let lost = || io::Error::other("its supervisor was killed");
            let mut packet = child.status.receive().await?.ok_or_else(lost)?;
            let mut replies =
                ProcessReport::decode_all(&packet.bytes).unwrap_or_default().into_iter();
            match replies.next() {
                Some(ProcessReport::Listening) => {
                    listeners.extend(packet.descriptors.drain(..).map(TcpListener::from));
                }
                Some(ProcessReport::Started { pid }) => {
                    let pidfd = packet.descriptors.pop();
                    let pidfd = pidfd.ok_or_else(|| io::Error::other("no handle of it"))?;
                    // The packet of a short program has its exit, too.
                    replies.for_each(|reply| child.apply(&reply));
                    return Ok(Started { child, pid, pidfd, listeners });
                }
                Some(ProcessReport::Failed { code, step }) => return Err(to_error(code, step)),
                Some(
                    ProcessReport::Exited { .. }
                    | ProcessReport::Killed { .. }
                    | ProcessReport::Gone,
                )
                | None => {
                    return Err(io::Error::other("unexpected reply of the launcher process"));
                }
            }
        }
    }

    /// Waits until the program exits. Cancel-safe.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        loop {
            if let Some(exit) = self.exit {
                return Ok(exit);
            }
            let packet = self.status.receive().await?;
            self.take(packet);
        }
    }

    /// The exit status, if the program has exited.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        while self.exit.is_none() {
            match self.status.try_receive() {
                Ok(packet) => self.take(packet),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(self.exit)
    }

    /// Waits until the program and all of its descendants are gone. Cancel-safe.
    pub(crate) async fn wait_until_gone(&mut self) {
        while !self.is_gone {
            match self.status.receive().await {
                Ok(packet) => self.take(packet),
                Err(_) => self.is_gone = true,
            }
        }
    }

    /// The violation that the supervisor killed it for, if any. Known once [`Self::wait`] returns.
    pub fn violation(&self) -> Option<Violation> {
        self.violation
    }

    /// Whether all of its processes are known to be gone.
    pub(crate) fn is_gone(&mut self) -> bool {
        while !self.is_gone {
            match self.status.try_receive() {
                Ok(packet) => self.take(packet),
                Err(_) => break,
            }
        }
        self.is_gone
    }

    pub(in crate::launcher) fn handle(&self) -> StatusSocket {
        self.status.clone()
    }

    /// Applies the replies of a packet; without one the supervisor is gone.
    fn take(&mut self, packet: Option<Packet>) {
        let replies =
            packet.map(|packet| ProcessReport::decode_all(&packet.bytes).unwrap_or_default());
        let replies = replies.unwrap_or_else(|| vec![ProcessReport::Gone]);
        replies.iter().for_each(|reply| self.apply(reply));
    }

    fn apply(&mut self, reply: &ProcessReport) {
        match reply {
            ProcessReport::Exited { status } => self.exit = Some(ExitStatus::from_raw(*status)),
            ProcessReport::Gone => {
                self.is_gone = true;
                // If the supervisor was killed, the program was killed with it.
                self.exit.get_or_insert(ExitStatus::from_raw(Signal::KILL.as_raw()));
            }
            ProcessReport::Killed { violation } => {
                // An idle worker has no call that could report this.
                if *violation == Violation::ProtectedFile {
                    tracing::error!(
                        "a protected file was replaced or removed while a program could write there; check it"
                    );
                }
                self.violation = Some(*violation);
            }
            ProcessReport::Listening
            | ProcessReport::Started { .. }
            | ProcessReport::Failed { .. } => {}
        }
    }
}

fn to_error(code: i32, step: String) -> io::Error {
    match (code, step.as_str()) {
        (0, _) => io::Error::other(step),
        // Only `execve` has no step. Its error keeps the kind, by which `LaunchError::reason`
        // recognizes a missing interpreter.
        (code, "") => io::Error::from_raw_os_error(code),
        (code, step) => io::Error::other(format!("{step}: {}", io::Error::from_raw_os_error(code))),
    }
}

/// The socket to the supervisor of a program. It preserves message boundaries, unlike a stream; the
/// type `UnixStream` only serves to wait for it.
#[derive(Clone, Debug)]
pub(in crate::launcher) struct StatusSocket(Arc<UnixStream>);

impl StatusSocket {
    fn new(socket: OwnedFd) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&socket, true)?;
        Ok(Self(Arc::new(UnixStream::from_std(socket.into())?)))
    }

    async fn receive(&self) -> io::Result<Option<Packet>> {
        self.0.async_io(Interest::READABLE, || self.try_receive()).await
    }

    fn try_receive(&self) -> io::Result<Option<Packet>> {
        receive(&*self.0, REPLY_BYTES, RecvFlags::DONTWAIT)
    }

    /// Sends a signal to the process group of the program.
    pub(in crate::launcher) fn signal(&self, signal: Signal) {
        self.send(Control::Signal(signal.as_raw()));
    }

    /// Sends SIGTERM to all processes of the program.
    pub(in crate::launcher) fn terminate(&self) {
        self.send(Control::Terminate);
    }

    /// Errors are ignored, because a supervisor that has exited needs no message.
    fn send(&self, control: Control) {
        let _ = send(&*self.0, &control.encode(), &[], SendFlags::DONTWAIT);
    }

    /// Makes the supervisor kill all processes and exit. Its last replies can still be read.
    pub(in crate::launcher) fn close(&self) {
        let _ = shutdown(&*self.0, Shutdown::Write);
    }
}

/// This process's ends of the pipes of a program.
pub(super) struct OwnStreams {
    stdin: Option<OwnedFd>,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

/// The program's ends.
pub(super) struct ChildStreams {
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

impl ChildStreams {
    pub(super) fn descriptors(&self) -> [BorrowedFd<'_>; 3] {
        [&self.stdin, &self.stdout, &self.stderr].map(AsFd::as_fd)
    }
}

/// Creates the pipes of a program. Without `has_stdin` its standard input is empty.
pub(super) fn create_streams(has_stdin: bool) -> io::Result<(OwnStreams, ChildStreams)> {
    let (stdin, own_stdin) = if has_stdin {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&writer, true)?;
        (reader, Some(writer))
    } else {
        (std::fs::File::open("/dev/null")?.into(), None)
    };
    let (own_stdout, stdout) = output_pipe()?;
    let (own_stderr, stderr) = output_pipe()?;
    let own = OwnStreams { stdin: own_stdin, stdout: own_stdout, stderr: own_stderr };
    Ok((own, ChildStreams { stdin, stdout, stderr }))
}

/// Only the reader is non-blocking. The program's end is blocking, as programs expect.
fn output_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&reader, true)?;
    Ok((reader, writer))
}

#[cfg(test)]
mod tests {
    use rustix::net::SendFlags;

    use super::{Child, create_streams};
    use crate::{
        launcher::supervised::connection::packet_sockets,
        protocol::{ProcessReport, send},
    };

    #[tokio::test]
    async fn one_packet_can_report_the_start_and_the_end() {
        let (own, _streams) = create_streams(false).expect("pipes");
        let (status, supervisor) = packet_sockets().expect("sockets");
        let pidfd = std::fs::File::open("/dev/null").expect("any descriptor");
        let mut packet = Vec::new();
        for reply in [
            ProcessReport::Started { pid: 7 },
            ProcessReport::Exited { status: 3 << 8 },
            ProcessReport::Gone,
        ] {
            reply.encode_to(&mut packet);
        }
        let pidfd = [std::os::fd::AsFd::as_fd(&pidfd)];
        send(&supervisor, &packet, &pidfd, SendFlags::empty()).expect("sent");
        let mut started = Child::start(own, status).await.expect("a started program");
        assert_eq!((started.pid, started.child.is_gone()), (7, true));
        assert_eq!(started.child.wait().await.expect("an exit").code(), Some(3));
    }
}

//! The supervisor of one program: starts it, reaps its descendants, reports its exit and kills
//! everything when the server closes the status socket.

use std::{
    io::{self, Read},
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags, open},
    io::Errno,
    net::{RecvFlags, SendFlags},
    pipe::{PipeFlags, pipe_with},
    process::{
        Pid, Signal, WaitOptions, getpid, kill_process_group, set_child_subreaper,
        set_parent_process_death_signal, setsid, wait,
    },
};

use super::{
    Descriptors, Namespaces, families, mounts, network,
    program::{self, Enforcer, Streams},
    raw::{self, Cloned},
};
use crate::{
    protocol::{Control, Reply, StartRequest, receive, send},
    sandbox::GrantedDescriptors,
};

/// The longest message from the server.
const CONTROL_BYTES: usize = 16;

/// How the processes of a program are kept together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isolation {
    /// This process is the init of a pid namespace.
    Namespaces(Namespaces),
    /// This process is the child subreaper.
    Subreaper,
}

impl Isolation {
    pub(super) fn clone_flags(self) -> i32 {
        match self {
            Self::Namespaces(namespaces) => namespaces.flags,
            Self::Subreaper => 0,
        }
    }

    /// The signal that a supervisor gets when the launcher dies.
    fn death_signal(self) -> Signal {
        match self {
            // The kernel then kills everything in the pid namespace.
            Self::Namespaces(_) => Signal::KILL,
            // The supervisor has to do that itself.
            Self::Subreaper => Signal::TERM,
        }
    }
}

/// A step of the start that failed, and why.
#[derive(Debug)]
pub(super) struct Failure {
    /// The error number; 0 if the step has the whole reason.
    code: i32,
    /// Empty for the execution of the program itself.
    step: String,
}

impl Failure {
    /// Converts the error of a step.
    pub(super) fn of<E: Into<io::Error>>(step: &'static str) -> impl FnOnce(E) -> Self {
        move |source| {
            let source = source.into();
            match source.raw_os_error() {
                Some(code) => Self { code, step: step.to_owned() },
                None => Self { code: 0, step: format!("{step}: {source}") },
            }
        }
    }

    fn into_reply(self) -> Reply {
        Reply::Failed { code: self.code, step: self.step }
    }
}

/// Starts the program and supervises it to its end.
pub(super) fn run(
    request: &StartRequest,
    descriptors: Descriptors,
    isolation: Isolation,
    enforcer: &Enforcer,
) -> ! {
    let Descriptors { status, stdin, stdout, stderr, granted } = descriptors;
    let streams = Streams { stdin, stdout, stderr };
    match start(request, &status, streams, &granted, isolation, enforcer) {
        Ok((program, signals)) => {
            report(&status, &Reply::Started);
            watch(&status, &signals, program, isolation);
            report(&status, &Reply::Gone);
        }
        Err(failure) => report(&status, &failure.into_reply()),
    }
    raw::exit(0)
}

/// Whether the server has closed its end of the status socket.
pub(super) fn is_closed(status: &OwnedFd) -> bool {
    let mut sources = [PollFd::new(status, PollFlags::HUP)];
    let _ = poll(&mut sources, Some(&Timespec::default()));
    sources[0].revents().contains(PollFlags::HUP)
}

fn report(status: &OwnedFd, reply: &Reply) {
    // If the server is gone, the next read of the socket finds out.
    let _ = send(status, &reply.encode(), &[], SendFlags::empty());
}

fn start(
    request: &StartRequest,
    status: &OwnedFd,
    streams: Streams,
    granted: &GrantedDescriptors,
    isolation: Isolation,
    enforcer: &Enforcer,
) -> Result<(Pid, OwnedFd), Failure> {
    let prepare = Failure::of::<Errno>;
    set_parent_process_death_signal(Some(isolation.death_signal()))
        .map_err(prepare("the supervisor could not be bound to the launcher"))?;
    // A session without a terminal.
    let _ = setsid();
    // The control socket must not stay open here, or the server would not notice when the launcher dies.
    let null = open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        .map_err(prepare("/dev/null could not be opened"))?;
    rustix::stdio::dup2_stdin(&null).map_err(prepare("standard input could not be replaced"))?;
    raw::set_exited_children(raw::ExitedChildren::AreKept);
    let signals = raw::open_signals().map_err(Failure::of("signals could not be opened"))?;
    let own_places = match isolation {
        Isolation::Namespaces(namespaces) => {
            let own_places = mounts::isolate(request, granted, namespaces)?;
            if let Some(list) = network::destinations(request) {
                network::open_listeners(list, status)?;
            }
            Some(own_places)
        }
        Isolation::Subreaper => {
            set_child_subreaper(Some(getpid()))
                .map_err(prepare("the supervisor could not become a subreaper"))?;
            None
        }
    };
    let (result, report_result) =
        pipe_with(PipeFlags::CLOEXEC).map_err(prepare("a pipe could not be created"))?;
    match raw::clone_process(0).map_err(Failure::of("a process could not be created"))? {
        Cloned::Child => {
            drop(result);
            let own_places = own_places.as_deref();
            let failure = program::execute(request, &streams, granted, own_places, enforcer);
            let message = failure.into_reply().encode();
            let _ = rustix::io::write(&report_result, &message);
            raw::exit(127)
        }
        Cloned::Parent { pid, .. } => {
            drop((streams, report_result));
            wait_for_execution(result)?;
            Ok((pid, signals))
        }
    }
}

/// The pipe is closed by the execution of the program; before that it carries an error.
fn wait_for_execution(result: OwnedFd) -> Result<(), Failure> {
    let mut message = Vec::new();
    let step = "the result of the start could not be read";
    std::fs::File::from(result).read_to_end(&mut message).map_err(Failure::of(step))?;
    match Reply::decode(&message) {
        Some(Reply::Failed { code, step }) => Err(Failure { code, step }),
        _ => Ok(()),
    }
}

/// Returns when no process of the program is left.
fn watch(status: &OwnedFd, signals: &OwnedFd, program: Pid, isolation: Isolation) {
    loop {
        let mut sources = [
            PollFd::new(signals, PollFlags::IN),
            PollFd::new(status, PollFlags::IN | PollFlags::HUP),
        ];
        let _ = poll(&mut sources, None);
        let is_terminated = take_signals(signals);
        if reap(status, program) {
            return;
        }
        if is_terminated || !obey(status, program, isolation) {
            break;
        }
    }
    match isolation {
        // As the init of a pid namespace, this reaches all its processes but this one.
        Isolation::Namespaces(_) => {
            let _ = kill_process_group(Pid::INIT, Signal::KILL);
            while !reap_one() {}
        }
        Isolation::Subreaper => families::kill_all(),
    }
}

/// Empties the signal descriptor; returns whether the launcher died.
fn take_signals(signals: &OwnedFd) -> bool {
    let mut is_terminated = false;
    // `struct signalfd_siginfo`, which starts with the number of the signal.
    let mut info = [0_u8; 128];
    while let Ok(1..) = rustix::io::read(signals, &mut info) {
        is_terminated |= info[..4] == libc::SIGTERM.to_ne_bytes();
    }
    is_terminated
}

/// Reaps exited children and reports the exit of the program. Returns whether no child is left.
fn reap(status: &OwnedFd, program: Pid) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, exit))) if pid == program => {
                report(status, &Reply::Exited { status: exit.as_raw() });
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// Waits for one child; returns whether none is left.
fn reap_one() -> bool {
    matches!(wait(WaitOptions::empty()), Err(Errno::CHILD))
}

/// Carries out what the server asks for. Returns whether the program may go on.
fn obey(status: &OwnedFd, program: Pid, isolation: Isolation) -> bool {
    loop {
        match receive(status.as_fd(), CONTROL_BYTES, RecvFlags::DONTWAIT) {
            Ok(Some(packet)) => match Control::decode(&packet.bytes) {
                Some(Control::Signal(number)) => {
                    let signal = Signal::from_named_raw(number);
                    let _ = signal.map(|signal| kill_process_group(program, signal));
                }
                Some(Control::Terminate) => terminate(program, isolation),
                None => {}
            },
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
            Ok(None) | Err(_) => return false,
        }
    }
}

fn terminate(program: Pid, isolation: Isolation) {
    match isolation {
        Isolation::Namespaces(_) => {
            let _ = kill_process_group(Pid::INIT, Signal::TERM);
        }
        Isolation::Subreaper => {
            let _ = kill_process_group(program, Signal::TERM);
            // Daemons that left the group have become children of this process.
            families::signal_children(Signal::TERM);
        }
    }
}

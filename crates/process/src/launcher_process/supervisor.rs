//! The supervisor of one program: starts it, reaps its descendants, reports its exit and kills
//! everything when the server closes the status socket.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags, open, readlink},
    io::Errno,
    net::{RecvFlags, SendFlags},
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process_group, pidfd_open,
        set_child_subreaper, set_parent_process_death_signal, setsid, wait,
    },
};

use super::{
    Descriptors, Namespaces,
    cgroups::Group,
    families,
    guard::Guard,
    mounts, network,
    program::{self, Enforcer, Streams},
    raw,
    usage::Watch,
};
use crate::{
    protocol::{Control, ProcessReport, StartRequest, receive, send},
    sandbox::GrantedDescriptors,
};

/// Maximum length of a message from the server, in bytes.
const CONTROL_BYTES: usize = 16;

/// Delay of the report of a start, in which a short program may exit.
const SHORT_RUN: Timespec = Timespec { tv_sec: 0, tv_nsec: 2_000_000 };

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

    /// Whether the kernel counts the processes of the user for this program alone.
    pub(super) fn has_user_namespace(self) -> bool {
        matches!(self, Self::Namespaces(namespaces) if namespaces.has_user())
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
pub(super) struct StartFailure {
    /// The error number; 0 if the step has the whole reason.
    code: i32,
    /// Empty for the execution of the program itself.
    step: String,
}

impl StartFailure {
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

    /// Reports that the start failed.
    pub(super) fn report(self, status: &OwnedFd) {
        let reply = ProcessReport::Failed { code: self.code, step: self.step };
        Outbox { status, packet: Vec::new(), pidfd: None }.add(&reply).flush();
    }
}

/// A program that was executed.
struct Started {
    program: Pid,
    signals: OwnedFd,
    /// The process id of this supervisor as the server sees it; 0 if that is not known.
    own_id: u32,
    /// The private places in memory; absent without namespaces.
    own_places: Option<Vec<&'static str>>,
    /// Absent if there is no protected file that could be replaced.
    guard: Option<Guard>,
}

/// Replies that were not sent yet. Those that belong together are sent in one packet: waking up the
/// server takes longer than many programs run.
struct Outbox<'a> {
    status: &'a OwnedFd,
    packet: Vec<u8>,
    /// Goes with the first packet.
    pidfd: Option<OwnedFd>,
}

impl Outbox<'_> {
    fn add(&mut self, reply: &ProcessReport) -> &mut Self {
        reply.encode_to(&mut self.packet);
        self
    }

    fn flush(&mut self) {
        if !self.packet.is_empty() {
            let pidfd = self.pidfd.take();
            let pidfd = pidfd.as_ref().map(AsFd::as_fd);
            // If the server is gone, the next read of the socket finds out.
            let _ = send(self.status, &self.packet, pidfd.as_slice(), SendFlags::empty());
            self.packet.clear();
        }
    }
}

/// Starts the program and supervises it to its end.
pub(super) fn run(
    request: &StartRequest,
    descriptors: Descriptors,
    isolation: Isolation,
    group: Option<&Group>,
    enforcer: &Enforcer,
) -> ! {
    let Descriptors { status, stdin, stdout, stderr, granted } = descriptors;
    let streams = Streams { stdin, stdout, stderr };
    match start(request, &status, streams, &granted, isolation, group, enforcer) {
        Ok(mut started) => {
            // Opened here and not by the server, for which the id may mean another process by then.
            let pidfd = pidfd_open(getpid(), PidfdFlags::empty()).ok();
            let mut outbox = Outbox { status: &status, packet: Vec::new(), pidfd };
            outbox.add(&ProcessReport::Started { pid: started.own_id });
            // A program that waits for its input must get it at once.
            let patience = if request.has_stdin { Timespec::default() } else { SHORT_RUN };
            let mut guard = started.guard.take();
            let limits = Watch::new(request, started.own_places.as_deref(), group);
            watch(&mut outbox, &started, patience, limits, &mut guard, isolation);
            // Reported before this process exits: the kernel takes longer to remove the namespaces
            // than a short program runs.
            outbox.add(&ProcessReport::Gone).flush();
        }
        Err(failure) => failure.report(&status),
    }
    raw::exit(0)
}

/// Whether the server has closed its end of the status socket.
pub(super) fn is_closed(status: &OwnedFd) -> bool {
    let mut sources = [PollFd::new(status, PollFlags::HUP)];
    let _ = poll(&mut sources, Some(&Timespec::default()));
    sources[0].revents().contains(PollFlags::HUP)
}

fn start(
    request: &StartRequest,
    status: &OwnedFd,
    streams: Streams,
    granted: &GrantedDescriptors,
    isolation: Isolation,
    group: Option<&Group>,
    enforcer: &Enforcer,
) -> Result<Started, StartFailure> {
    let prepare = StartFailure::of::<Errno>;
    set_parent_process_death_signal(Some(isolation.death_signal()))
        .map_err(prepare("the supervisor could not be bound to the launcher"))?;
    // A session without a terminal.
    let _ = setsid();
    // The control socket must not stay open here, or the server would not notice when the launcher dies.
    let null = open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        .map_err(prepare("/dev/null could not be opened"))?;
    rustix::stdio::dup2_stdin(&null).map_err(prepare("standard input could not be replaced"))?;
    // Clones inherit that the launcher ignores SIGCHLD, and the kernel would discard the exit
    // statuses of their children.
    raw::set_exited_children(raw::ExitedChildren::AreKept);
    let signals = raw::open_signals().map_err(StartFailure::of("signals could not be opened"))?;
    // Read before the mounts: afterwards `/proc` shows this process under its id in the namespace, 1.
    let own_id = find_own_id();
    let (own_places, guard) = match isolation {
        Isolation::Namespaces(namespaces) => {
            let isolated = mounts::isolate(request, granted, namespaces, own_id)?;
            if let Some(list) = network::destinations(request) {
                network::open_listeners(list, status)?;
            }
            (Some(isolated.own_places), isolated.guard)
        }
        Isolation::Subreaper => {
            set_child_subreaper(Some(getpid()))
                .map_err(prepare("the supervisor could not become a subreaper"))?;
            (None, None)
        }
    };
    let mut failure = None;
    let program = raw::spawn_in_shared_memory(&mut || {
        // Only the program enters it: on excess the kernel kills the whole group
        // (`memory.oom.group`), and the supervisor has to survive to report that.
        let entered = group.map_or(Ok(()), Group::enter);
        failure = Some(match entered {
            Ok(()) => {
                let places = own_places.as_deref();
                program::execute(request, &streams, granted, places, isolation, enforcer)
            }
            Err(error) => StartFailure::of("its control group could not be entered")(error),
        });
    });
    let program = program.map_err(StartFailure::of("a process could not be created"))?;
    match failure {
        Some(failure) => Err(failure),
        None => Ok(Started { program, signals, own_id, own_places, guard }),
    }
}

/// The id of this process in the namespace of the server, whose `/proc` is still mounted.
fn find_own_id() -> u32 {
    let link = readlink("/proc/self", Vec::new()).ok();
    link.and_then(|link| link.to_str().ok()?.parse().ok()).unwrap_or(0)
}

/// Returns when no process of the program is left. The first reply waits for `patience`, in case the
/// program is so short that all can be reported at once.
fn watch(
    outbox: &mut Outbox<'_>,
    started: &Started,
    patience: Timespec,
    mut limits: Option<Watch<'_>>,
    guard: &mut Option<Guard>,
    isolation: Isolation,
) {
    let (status, Started { program, signals, .. }) = (outbox.status, started);
    let mut patience = Some(patience);
    loop {
        let next = limits.as_ref().map(Watch::remaining);
        let next = next.into_iter().chain(guard.as_ref().map(Guard::remaining)).min();
        let next = next.and_then(|next| next.try_into().ok());
        let mut sources = vec![
            PollFd::new(signals, PollFlags::IN),
            PollFd::new(status, PollFlags::IN | PollFlags::HUP),
        ];
        let changes = guard.as_ref().and_then(Guard::changes);
        sources.extend(changes.map(|changes| PollFd::new(changes, PollFlags::IN)));
        // Whatever ends the wait, all sources are looked at, so an error needs no handling.
        let _ = poll(&mut sources, patience.take().or(next).as_ref());
        // The signal descriptor is drained before reaping: a child that exits after the last `wait`
        // makes it readable again. In the other order, draining could take the signal of a child that
        // was not reaped yet, and its exit would go unnoticed.
        let is_terminated = take_signals(signals);
        let is_over = reap(outbox, *program);
        let replaced = guard
            .as_mut()
            .and_then(|guard| if is_over { guard.check_last() } else { guard.check() });
        let violation = replaced.or_else(|| {
            let limits = limits.as_mut()?;
            if is_over { limits.find_enforced() } else { limits.check() }
        });
        if let Some(violation) = violation {
            outbox.add(&ProcessReport::Killed { violation });
        }
        if is_over {
            return;
        }
        outbox.flush();
        if is_terminated || violation.is_some() || !handle_control(status, *program, isolation) {
            break;
        }
    }
    match isolation {
        // Sent by the init of a pid namespace, the signal reaches all its processes but this one.
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

/// Reaps exited children and notes the exit of the program. Returns whether no child is left.
fn reap(outbox: &mut Outbox<'_>, program: Pid) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, exit))) if pid == program => {
                outbox.add(&ProcessReport::Exited { status: exit.as_raw() });
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return false,
            // ECHILD: every process of the program was a child of this one, or has become one.
            Err(_) => return true,
        }
    }
}

/// Waits for one child; returns whether none is left.
fn reap_one() -> bool {
    matches!(wait(WaitOptions::empty()), Err(Errno::CHILD))
}

/// Carries out what the server asks for. Returns whether the program may go on.
fn handle_control(status: &OwnedFd, program: Pid, isolation: Isolation) -> bool {
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
            // This is `kill(-1)`, which also reaches processes that have left the group of the
            // program.
            let _ = kill_process_group(Pid::INIT, Signal::TERM);
        }
        Isolation::Subreaper => {
            let _ = kill_process_group(program, Signal::TERM);
            // Daemons that left the group have become children of this process.
            families::signal_children(Signal::TERM);
        }
    }
}

//! The launcher process: starts every child of a server.
//!
//! # Why a process of its own
//!
//! A user namespace can only be created by a process with a single thread, and a sandbox that a
//! thread puts on itself can never be taken off. So a server starts a second execution of its own
//! program, `/proc/self/exe`, with a variable in the environment. A constructor in this crate finds
//! the variable before `main` runs and never returns to it. That works alike in the command line
//! program, in servers with native tools, in tests and in examples, and an upgrade of the executable
//! on disk cannot mix two versions.
//!
//! # Processes
//!
//! ```text
//! server ──control socket── launcher process            one for each server
//!    │                          └─ supervisor           one for each command, pid 1 of its namespace
//!    └──────status socket────────────┘ └─ program
//! ```
//!
//! A request (see `protocol`) carries the command and its descriptors: a status socket, the three standard
//! streams, and the granted folders as they were opened when the crib was loaded. The launcher clones a
//! supervisor, with namespaces where the kernel allows them. The supervisor makes the private mounts, forks
//! the program, reaps orphans, and reports on the status socket. For a program with a list of network
//! destinations it opens listeners in the network namespace and passes them to the server, which serves
//! them. The program restricts itself (resource limits, capabilities, Landlock, seccomp) and executes.
//!
//! # Lifetimes
//!
//! The status socket determines the lifetime of a command. When the server closes it, because the call was
//! cancelled, the call has ended or the server has died, the supervisor kills all processes, reports that
//! none is left, and exits. In a pid namespace nothing outlives the supervisor. Without one the supervisor
//! is the child subreaper: daemons become its children, and it kills children until it has none. When the
//! launcher dies, supervisors get a signal; when the server dies, the launcher reads EOF on the control
//! socket, waits for the supervisors and removes the private folders that the server had no time to remove.

mod cgroups;
mod families;
mod guard;
mod kernel_memory;
mod mounts;
mod network;
mod program;
mod protected;
mod raw;
mod supervisor;
mod usage;

use std::{
    collections::HashSet,
    fs::File,
    io::Read,
    os::fd::{AsFd, OwnedFd},
    path::PathBuf,
};

use rustix::{
    net::{RecvFlags, SendFlags},
    process::{Pid, WaitOptions, getegid, geteuid, getpid, set_child_subreaper, setsid, waitpid},
    thread::{CapabilitySet, capabilities},
};

use self::{
    cgroups::Cgroups,
    program::Enforcer,
    raw::Cloned,
    supervisor::{Isolation, StartFailure},
};
use crate::{
    private_folder::remove_tree,
    protocol::{IN_MEMORY, MAX_PACKET, Packet, StartRequest, receive, send},
    sandbox::GrantedDescriptors,
};
pub(crate) use raw::VARIABLE;
pub use raw::{limit_heaps, trim_memory};

/// Number of remembered private folders above which those that no longer exist are forgotten.
const FOLDERS: usize = 256;

/// The descriptors of a request.
struct Descriptors {
    status: OwnedFd,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
    granted: GrantedDescriptors,
}

/// Serves requests until the server closes the control socket, which is standard input.
fn run() -> ! {
    // Its own session: a Ctrl-C in the terminal is for the server, which then stops its programs.
    let _ = setsid();
    let _ = rustix::thread::set_name(c"toolcrib-launch");
    let namespaces = Namespaces::find();
    let mut cgroups = Cgroups::find();
    // Set only after the trials above, which wait for their children. Supervisors report on sockets of their
    // own, so nothing waits for them, and they must not remain as zombies.
    raw::set_exited_children(raw::ExitedChildren::Vanish);
    // Orphans of a killed supervisor become children of the launcher, which can then kill them.
    let _ = set_child_subreaper(Some(getpid()));
    let hello = [u8::from(namespaces.is_some()), u8::from(cgroups.is_some())];
    if send(control(), &hello, &[], SendFlags::empty()).is_err() {
        raw::exit(1);
    }
    let mut enforcer = Enforcer::new();
    let mut folders = HashSet::new();
    loop {
        match receive(control(), MAX_PACKET, RecvFlags::empty()) {
            Ok(Some(packet)) => {
                let Some((request, descriptors)) = read_request(packet) else {
                    continue;
                };
                remember(&mut folders, &request);
                // A server that was killed may leave many requests behind.
                if supervisor::is_closed(&descriptors.status) {
                    continue;
                }
                enforcer.refresh();
                start(&request, descriptors, namespaces, cgroups.as_mut(), &mut enforcer);
            }
            // A packet with too many descriptors is dropped; its sender sees a closed status socket.
            Err(error) if error.raw_os_error().is_none() => {}
            Ok(None) | Err(_) => break,
        }
    }
    // Supervisors kill their programs by themselves. Only orphans of killed supervisors are left.
    families::kill_orphans();
    if let Some(groups) = &mut cgroups {
        groups.remove_empty();
    }
    for folder in folders {
        remove_tree(&folder);
    }
    raw::exit(0)
}

fn control() -> impl AsFd {
    rustix::stdio::stdin()
}

/// `None` if the packet is not a request.
fn read_request(packet: Packet) -> Option<(StartRequest, Descriptors)> {
    let Packet { mut bytes, mut descriptors } = packet;
    if bytes == IN_MEMORY {
        bytes.clear();
        File::from(descriptors.pop()?).read_to_end(&mut bytes).ok()?;
    }
    let request = StartRequest::decode(&bytes)?;
    let mut descriptors = descriptors.into_iter();
    let found = Descriptors {
        status: descriptors.next()?,
        stdin: descriptors.next()?,
        stdout: descriptors.next()?,
        stderr: descriptors.next()?,
        granted: GrantedDescriptors::new(request.granted.iter().cloned().zip(descriptors)),
    };
    Some((request, found))
}

/// Remembers the private folder of a request, to remove it if the server dies.
fn remember(folders: &mut HashSet<PathBuf>, request: &StartRequest) {
    if folders.len() >= FOLDERS {
        folders.retain(|folder| folder.exists());
    }
    folders.insert(request.folder.clone());
}

/// Clones the supervisor of a program.
fn start(
    request: &StartRequest,
    descriptors: Descriptors,
    namespaces: Option<Namespaces>,
    cgroups: Option<&mut Cgroups>,
    enforcer: &mut Enforcer,
) {
    let isolation = match namespaces {
        Some(namespaces) if request.is_restricted() && request.uses_namespaces => {
            let list = network::destinations(request);
            Isolation::Namespaces(namespaces.with_network(list.is_some()))
        }
        _ => Isolation::Subreaper,
    };
    // Prepared here and not in the supervisor, so that the next program with the same rights uses
    // it as well.
    enforcer.prepare(&request.sandbox, isolation != Isolation::Subreaper);
    // If that fails, the supervisor enforces the limits alone.
    let group = cgroups.filter(|_| request.is_watched());
    let group = group.and_then(|groups| groups.create_for(&request.sandbox).ok());
    match raw::clone_process(isolation.clone_flags()) {
        Ok(Cloned::Child) => {
            supervisor::run(request, descriptors, isolation, group.as_ref(), enforcer)
        }
        Ok(Cloned::Parent(_)) => {
            // Closed before anything else: a call ends with the last writer of its output.
            drop(descriptors);
            // The supervisor reports everything else. The prepared rules were used up by it, so the next
            // ones are built now.
            enforcer.prepare_next();
        }
        Err(error) => {
            let failure = StartFailure::of("a process could not be created")(error);
            failure.report(&descriptors.status);
        }
    }
}

/// The namespaces that supervisors get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Namespaces {
    /// `CLONE_NEW…`.
    flags: i32,
    /// The user and the group of the server. They cannot be asked for in a new user namespace.
    uid: u32,
    gid: u32,
}

impl Namespaces {
    /// The isolation that this kernel allows this user, determined by trying.
    ///
    /// Root needs no user namespace and gets none: in one, it would lose access to the files of users
    /// that are not mapped.
    fn find() -> Option<Self> {
        const OF_ROOT: i32 = libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWNS;
        let is_root = capabilities(None)
            .is_ok_and(|own| own.effective.contains(CapabilitySet::SYS_ADMIN))
            && geteuid().is_root();
        let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
        let choices = [OF_ROOT, OF_ROOT | libc::CLONE_NEWUSER];
        let choices = choices.map(|flags| Self { flags, uid, gid });
        choices.into_iter().skip(usize::from(!is_root)).find(|choice| choice.is_possible())
    }

    fn is_possible(self) -> bool {
        match raw::clone_process(self.flags) {
            Ok(Cloned::Child) => raw::exit(i32::from(mounts::try_isolation(self).is_err())),
            Ok(Cloned::Parent(pid)) => is_success(pid),
            Err(_) => false,
        }
    }

    /// Adds a network namespace, only for programs with a list of destinations, because creating one takes
    /// time.
    fn with_network(self, is_wanted: bool) -> Self {
        let network = if is_wanted { libc::CLONE_NEWNET } else { 0 };
        Self { flags: self.flags | network, ..self }
    }

    fn has_user(self) -> bool {
        self.flags & libc::CLONE_NEWUSER != 0
    }
}

fn is_success(pid: Pid) -> bool {
    let status = waitpid(Some(pid), WaitOptions::empty());
    status.is_ok_and(|found| found.is_some_and(|(_, status)| status.exit_status() == Some(0)))
}

//! The system calls that programs may make: an allow list in the manner of container runtimes.
//!
//! Left out are calls that act on the machine (mounts, modules, clocks, swap, reboot), on other
//! processes (ptrace, `process_vm_*`, `kcmp`, `pidfd_getfd`), create namespaces, or open parts of the
//! kernel that programs rarely need and exploits often do (`bpf`, `io_uring`, `userfaultfd`,
//! `perf_event_open`, keyrings), or hide memory from the limits (`memfd_secret`).

mod groups;

use libc::c_long;

use self::groups::{
    ALLOWED, ALLOWED_HERE, FCHMODAT2, INTER_PROCESS, METADATA, METADATA_HERE, SCHEDULING,
};

/// How a call is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SystemCallRule {
    Allow,
    /// Fails with this error number.
    Deny(i32),
    /// Allowed if all of these arguments have these values.
    AllEqual(&'static [(u8, u32)]),
    /// Allowed if the argument has one of these values.
    OneOf(u8, &'static [u32]),
    /// Allowed if the argument has none of these values.
    NoneOf(u8, &'static [u32]),
    /// An `ioctl` request. These are denied, and so are file system requests that are not listed.
    Request {
        denied: &'static [u32],
        file_system: &'static [u32],
    },
    /// Allowed if the argument has none of these bits.
    NoBits(u8, u32),
    /// Opens a file. If the argument `flags` asks to create it, the argument `mode` must not have the
    /// bits of [`SET_ID`]; otherwise the kernel ignores the mode, which is then often garbage.
    Open {
        flags: u8,
        mode: u8,
    },
    /// A pair of sockets of this family, unless its type has one of these bits.
    SocketPair {
        family: u32,
        denied_types: u32,
    },
    /// A socket of one of these families, or the netlink socket that name resolution uses to list
    /// addresses.
    Socket {
        families: &'static [u32],
        /// The protocols that are allowed; empty for all.
        protocols: &'static [u32],
    },
}

/// The properties of a sandbox that the rules depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Conditions {
    pub(super) network: bool,
    /// Whether Landlock allows TCP connections to some ports only.
    pub(super) restricts_ports: bool,
    pub(super) unix_sockets: bool,
    pub(super) changes_metadata: bool,
    /// Whether the program is in pid, ipc and mount namespaces of its own.
    pub(super) has_namespaces: bool,
}

/// `CLONE_NEWTIME` is not among them: its bit is part of the exit signal of `clone`.
const NAMESPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;

/// Requests that push input into a terminal.
// TIOCSTI and TIOCLINUX.
const DENIED_REQUESTS: &[u32] = &[0x5412, 0x541c];
/// The type bits of file system requests. Some of them change flags and versions of files that are open only
/// for reading, or create volumes, and Landlock does not check them.
// As in most file systems, in ext, XFS, btrfs, F2FS and bcachefs.
pub(super) const FILE_SYSTEMS: [u32; 6] = [0x6600, 0x7600, 0x5800, 0x9400, 0xf500, 0xbc00];
/// Allowed file system requests: they read attributes and extents of a file, or share its blocks with another
/// file, as `cp` does.
// FS_IOC_GETFLAGS and FS_IOC_GETVERSION in both sizes, FS_IOC_FSGETXATTR, FS_IOC_FIEMAP, FICLONE, FICLONERANGE and
// FIDEDUPERANGE.
const FILE_SYSTEM_REQUESTS: &[u32] = &[
    0x8008_6601,
    0x8004_6601,
    0x8008_7601,
    0x8004_7601,
    0x801c_581f,
    0xc020_660b,
    0x4004_9409,
    0x4020_940d,
    0xc018_9436,
];
/// With a lease, a program that may only read a file can block all other programs that open it.
// F_SETLEASE.
const SET_LEASE: &[u32] = &[1024];
/// `PER_LINUX` and `PER_LINUX32`, both also with `UNAME26`, and the query of the current value. Others,
/// such as `ADDR_NO_RANDOMIZE`, weaken the protection of the process.
const PERSONALITIES: &[u32] = &[0, 0x8, 0x2_0000, 0x2_0008, u32::MAX];

const UNIX: u32 = 1;
/// Of the socket types, only datagram and raw sockets have this bit. One half of such a pair can send to
/// other sockets by their path, unlike a connected stream.
const DATAGRAM_BIT: u32 = 2;
const INTERNET: &[u32] = &[2, 10];
const INTERNET_AND_UNIX: &[u32] = &[2, 10, UNIX];

const ALL_PROTOCOLS: &[u32] = &[];
/// The default of the type of socket, TCP and UDP. Landlock does not see connections of the others,
/// such as MPTCP and SCTP.
const TCP_AND_UDP: &[u32] = &[0, 6, 17];

/// The setuid and setgid bits: a program with them runs as its owner or group for every user.
pub(super) const SET_ID: u32 = 0o6000;
/// `O_CREAT` and the bit of `O_TMPFILE` that no other flag has.
pub(super) const CREATES: u32 = 0o2000_0100;

/// Calls that create something, and the argument with its mode.
const CREATING: [(c_long, u8); 2] = [(libc::SYS_mkdirat, 2), (libc::SYS_mknodat, 2)];
/// Calls that change permissions, and the argument with the mode.
const MODES: [(c_long, u8); 3] = [(libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (FCHMODAT2, 2)];

#[cfg(target_arch = "x86_64")]
const CREATING_HERE: &[(c_long, u8)] =
    &[(libc::SYS_creat, 1), (libc::SYS_mkdir, 1), (libc::SYS_mknod, 1)];
#[cfg(not(target_arch = "x86_64"))]
const CREATING_HERE: &[(c_long, u8)] = &[];
#[cfg(target_arch = "x86_64")]
const MODES_HERE: &[(c_long, u8)] = &[(libc::SYS_chmod, 1)];
#[cfg(not(target_arch = "x86_64"))]
const MODES_HERE: &[(c_long, u8)] = &[];

const MSG_FASTOPEN: u32 = 0x2000_0000;
/// Calls that can open a TCP connection without `connect`, which Landlock does not see either, and the
/// argument with their flags.
const FAST_OPEN: [(c_long, u8); 3] =
    [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)];

/// The rule of every call that is not simply denied, in no order.
pub(super) fn rules(conditions: Conditions) -> Vec<(c_long, SystemCallRule)> {
    let Conditions { network, restricts_ports, unix_sockets, changes_metadata, has_namespaces } =
        conditions;
    let protocols = if restricts_ports { TCP_AND_UDP } else { ALL_PROTOCOLS };
    let allowed = ALLOWED.iter().chain(ALLOWED_HERE).map(|call| (*call, SystemCallRule::Allow));
    let mut rules: Vec<_> = allowed.collect();
    rules.extend([
        (libc::SYS_clone, SystemCallRule::NoBits(0, NAMESPACES)),
        // Its flags are in memory, where a filter cannot see them. C libraries fall back to `clone`.
        (libc::SYS_clone3, SystemCallRule::Deny(libc::ENOSYS)),
        // Its mode is in memory as well. Programs fall back to `openat`.
        (libc::SYS_openat2, SystemCallRule::Deny(libc::ENOSYS)),
        (libc::SYS_openat, SystemCallRule::Open { flags: 2, mode: 3 }),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, SystemCallRule::Open { flags: 1, mode: 2 }),
        (
            libc::SYS_ioctl,
            SystemCallRule::Request { denied: DENIED_REQUESTS, file_system: FILE_SYSTEM_REQUESTS },
        ),
        (libc::SYS_fcntl, SystemCallRule::NoneOf(1, SET_LEASE)),
        (libc::SYS_personality, SystemCallRule::OneOf(0, PERSONALITIES)),
        (libc::SYS_prlimit64, SystemCallRule::AllEqual(&[(0, 0)])),
        (
            libc::SYS_socketpair,
            SystemCallRule::SocketPair { family: UNIX, denied_types: DATAGRAM_BIT },
        ),
        (
            libc::SYS_socket,
            match (network, unix_sockets) {
                (false, _) => SystemCallRule::Deny(libc::EACCES),
                (true, false) => SystemCallRule::Socket { families: INTERNET, protocols },
                (true, true) => SystemCallRule::Socket { families: INTERNET_AND_UNIX, protocols },
            },
        ),
    ]);
    let no_set_id = |(call, mode): &(c_long, u8)| (*call, SystemCallRule::NoBits(*mode, SET_ID));
    rules.extend(CREATING.iter().chain(CREATING_HERE).map(no_set_id));
    if restricts_ports {
        rules.retain(|(call, _)| !FAST_OPEN.iter().any(|(other, _)| other == call));
        let no_fast_open =
            |(call, flags): &(c_long, u8)| (*call, SystemCallRule::NoBits(*flags, MSG_FASTOPEN));
        rules.extend(FAST_OPEN.iter().map(no_fast_open));
    }
    if has_namespaces {
        // Allowed on other processes of the program. The kernel denies them on the supervisor, which has more
        // capabilities.
        rules.extend(
            INTER_PROCESS.iter().chain(SCHEDULING).map(|call| (*call, SystemCallRule::Allow)),
        );
        rules.extend(
            [libc::SYS_setpriority, libc::SYS_ioprio_set].map(|call| (call, SystemCallRule::Allow)),
        );
    } else {
        // Without a pid namespace, other processes have ids, so only the calling one is allowed.
        rules.extend(SCHEDULING.iter().map(|call| (*call, SystemCallRule::AllEqual(&[(0, 0)]))));
        // The first 0 is `PRIO_PROCESS`, 1 is `IOPRIO_WHO_PROCESS`, the id 0 the calling process.
        rules.push((libc::SYS_setpriority, SystemCallRule::AllEqual(&[(0, 0), (1, 0)])));
        rules.push((libc::SYS_ioprio_set, SystemCallRule::AllEqual(&[(0, 1), (1, 0)])));
    }
    // In a mount namespace, everything that may not be written is mounted read-only.
    if has_namespaces || changes_metadata {
        rules.extend(
            METADATA.iter().chain(METADATA_HERE).map(|call| (*call, SystemCallRule::Allow)),
        );
        rules.extend(MODES.iter().chain(MODES_HERE).map(no_set_id));
    }
    rules
}

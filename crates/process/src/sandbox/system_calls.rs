//! The system calls that programs may make: an allow list in the manner of container runtimes.
//!
//! Left out are calls that act on the machine (mounts, modules, clocks, swap, reboot), on other
//! processes (ptrace, `process_vm_*`, `kcmp`, `pidfd_getfd`), create namespaces, or open parts of the
//! kernel that programs rarely need and exploits often do (`bpf`, `io_uring`, `userfaultfd`,
//! `perf_event_open`, keyrings), or hide memory from the limits (`memfd_secret`).

use libc::c_long;

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

/// System V IPC and message queues, which belong to an ipc namespace.
const INTER_PROCESS: &[c_long] = &[
    libc::SYS_mq_getsetattr,
    libc::SYS_mq_notify,
    libc::SYS_mq_open,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_timedsend,
    libc::SYS_mq_unlink,
    libc::SYS_msgctl,
    libc::SYS_msgget,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_semctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmdt,
    libc::SYS_shmget,
];

/// Calls that change how a process is scheduled, which is their first argument.
const SCHEDULING: &[c_long] = &[
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];

/// Owners, times and extended attributes, which Landlock does not cover.
const METADATA: &[c_long] = &[
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
    libc::SYS_utimensat,
];

/// These numbers are the same on all architectures; not every C library defines them.
const CACHESTAT: c_long = 451;
const FCHMODAT2: c_long = 452;
const MAP_SHADOW_STACK: c_long = 453;
const FUTEX_WAKE: c_long = 454;
const FUTEX_WAIT: c_long = 455;
const FUTEX_REQUEUE: c_long = 456;

#[cfg(target_arch = "x86_64")]
const METADATA_HERE: &[c_long] =
    &[libc::SYS_chown, libc::SYS_futimesat, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes];
#[cfg(not(target_arch = "x86_64"))]
const METADATA_HERE: &[c_long] = &[];

/// Calls that only this architecture has.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[c_long] = &[
    libc::SYS_access,
    libc::SYS_alarm,
    libc::SYS_arch_prctl,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_fork,
    libc::SYS_get_thread_area,
    libc::SYS_getdents,
    libc::SYS_getpgrp,
    libc::SYS_getrlimit,
    libc::SYS_inotify_init,
    libc::SYS_link,
    libc::SYS_lstat,
    libc::SYS_pause,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_rmdir,
    libc::SYS_select,
    libc::SYS_set_thread_area,
    libc::SYS_setrlimit,
    libc::SYS_signalfd,
    libc::SYS_stat,
    libc::SYS_symlink,
    libc::SYS_sync_file_range,
    libc::SYS_time,
    libc::SYS_unlink,
    libc::SYS_vfork,
];
/// `renameat`, `sync_file_range`, `getrlimit`, `setrlimit` of the generic table.
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[c_long] = &[38, 84, 163, 164];

/// Calls that act on the process itself and on files, which Landlock decides about.
const ALLOWED: &[c_long] = &[
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_brk,
    libc::SYS_capget,
    libc::SYS_capset,
    libc::SYS_chdir,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_connect,
    libc::SYS_copy_file_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fadvise64,
    libc::SYS_fallocate,
    libc::SYS_fchdir,
    libc::SYS_fdatasync,
    libc::SYS_fgetxattr,
    libc::SYS_flistxattr,
    libc::SYS_flock,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_futex,
    libc::SYS_futex_waitv,
    libc::SYS_get_mempolicy,
    libc::SYS_get_robust_list,
    libc::SYS_getcpu,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getgroups,
    libc::SYS_getitimer,
    libc::SYS_getpeername,
    libc::SYS_getpgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getpriority,
    libc::SYS_getrandom,
    libc::SYS_getresgid,
    libc::SYS_getresuid,
    libc::SYS_getrusage,
    libc::SYS_getsid,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_getxattr,
    libc::SYS_inotify_add_watch,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_rm_watch,
    libc::SYS_io_cancel,
    libc::SYS_io_destroy,
    libc::SYS_io_getevents,
    libc::SYS_io_setup,
    libc::SYS_io_submit,
    libc::SYS_ioprio_get,
    libc::SYS_kill,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_restrict_self,
    libc::SYS_lgetxattr,
    libc::SYS_linkat,
    libc::SYS_listen,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_mbind,
    libc::SYS_membarrier,
    libc::SYS_memfd_create,
    libc::SYS_mincore,
    libc::SYS_mlock,
    libc::SYS_mlock2,
    libc::SYS_mlockall,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_munlock,
    libc::SYS_munlockall,
    libc::SYS_munmap,
    libc::SYS_name_to_handle_at,
    libc::SYS_nanosleep,
    libc::SYS_newfstatat,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_pipe2,
    libc::SYS_pkey_alloc,
    libc::SYS_pkey_free,
    libc::SYS_pkey_mprotect,
    libc::SYS_ppoll,
    libc::SYS_prctl,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_preadv2,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_pwritev2,
    libc::SYS_read,
    libc::SYS_readahead,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_recvfrom,
    libc::SYS_recvmmsg,
    libc::SYS_recvmsg,
    libc::SYS_remap_file_pages,
    libc::SYS_renameat2,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getattr,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_rr_get_interval,
    libc::SYS_sched_yield,
    libc::SYS_seccomp,
    libc::SYS_sendfile,
    libc::SYS_sendmmsg,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_set_mempolicy,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_setfsgid,
    libc::SYS_setfsuid,
    libc::SYS_setgid,
    libc::SYS_setgroups,
    libc::SYS_setitimer,
    libc::SYS_setpgid,
    libc::SYS_setregid,
    libc::SYS_setresgid,
    libc::SYS_setresuid,
    libc::SYS_setreuid,
    libc::SYS_setsid,
    libc::SYS_setsockopt,
    libc::SYS_setuid,
    libc::SYS_shutdown,
    libc::SYS_sigaltstack,
    libc::SYS_signalfd4,
    libc::SYS_splice,
    libc::SYS_statfs,
    libc::SYS_statx,
    libc::SYS_symlinkat,
    libc::SYS_sync,
    libc::SYS_syncfs,
    libc::SYS_sysinfo,
    libc::SYS_tee,
    libc::SYS_tgkill,
    libc::SYS_timer_create,
    libc::SYS_timer_delete,
    libc::SYS_timer_getoverrun,
    libc::SYS_timer_gettime,
    libc::SYS_timer_settime,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_gettime,
    libc::SYS_timerfd_settime,
    libc::SYS_times,
    libc::SYS_tkill,
    libc::SYS_truncate,
    libc::SYS_umask,
    libc::SYS_uname,
    libc::SYS_unlinkat,
    libc::SYS_vmsplice,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_write,
    libc::SYS_writev,
    CACHESTAT,
    FUTEX_REQUEUE,
    FUTEX_WAIT,
    FUTEX_WAKE,
    MAP_SHADOW_STACK,
];

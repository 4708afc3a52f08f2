//! The system calls of the launcher process that have no safe wrapper: cloning, executing, mount
//! attributes, network interfaces and signal masks; and a call of the allocator. The only file with unsafe
//! code.
//!
//! All of the system calls run in a process with a single thread: the launcher process is a fresh execution of this
//! program that never reaches `main`, and its children are clones of it. So no lock can be held by a
//! thread that a clone does not have, and allocation after a clone is sound.

#![expect(unsafe_code, reason = "starting processes in namespaces has no safe interface")]

use std::{
    ffi::{CStr, CString, c_char, c_int, c_long, c_void},
    io,
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
    ptr,
};

use rustix::{
    net::{AddressFamily, SocketType, socket},
    process::Pid,
};

/// The variable that makes an execution of this program a launcher process.
pub(crate) const VARIABLE: &CStr = c"TOOLCRIB_LAUNCHER_PROCESS";

/// Runs before `main` in every program that links this crate: servers, native tools, tests and
/// examples. None of them has to call anything, and no thread exists yet.
#[used]
#[unsafe(link_section = ".init_array")]
static RUN_IF_REQUESTED: extern "C" fn() = run_if_requested;

extern "C" fn run_if_requested() {
    // SAFETY: the name is a C string, and no other thread could change the environment.
    if !unsafe { libc::getenv(VARIABLE.as_ptr()) }.is_null() {
        super::run();
    }
}

/// Returns free memory of the heap to the operating system. The allocator keeps what short-lived
/// threads have freed, because it expects to use it again. Does nothing with other C libraries than
/// glibc, which have no such call.
pub fn trim_memory() {
    // SAFETY: takes the locks of the allocator itself and may be called by any thread at any time.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Limits the heaps that threads of this process share to two per core. By default glibc has eight per
/// core and fills them all in time, and long-lived data in each keeps memory between it from being
/// returned: a server that had reloaded 10,000 definitions several times took 77 MiB, and 62 with one per
/// core. But with one, the threads that read definitions sometimes share it and wait for each other: a
/// list of 10,000 tools took 230 ms instead of 125.
///
/// Only threads that start later are affected. Does nothing with other C libraries than glibc.
pub fn limit_heaps() {
    #[cfg(target_env = "gnu")]
    if let Ok(cores) = std::thread::available_parallelism()
        && let Ok(heaps) = c_int::try_from(2 * cores.get())
    {
        // SAFETY: sets a number of the allocator under its own lock.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, heaps) };
    }
}

/// The two sides of [`clone_process`].
pub(super) enum Cloned {
    /// This is the new process.
    Child,
    /// This is the old process; the id is that of the new one.
    Parent(Pid),
}

/// Forks, with new namespaces for the child (`CLONE_NEW…` flags).
pub(super) fn clone_process(namespaces: c_int) -> io::Result<Cloned> {
    let flags = namespaces | libc::SIGCHLD;
    // SAFETY: without CLONE_VM this is a fork, and a null stack means a copy of this one.
    let pid = unsafe {
        libc::syscall(libc::SYS_clone, c_long::from(flags), 0_usize, 0_usize, 0_usize, 0_usize)
    };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Cloned::Child),
        pid => {
            let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
            Ok(Cloned::Parent(pid.expect("a process id is positive")))
        }
    }
}

/// The stack of a process that shares memory with its parent. Untouched pages cost nothing.
const STACK_BYTES: usize = 1 << 20;

/// Starts a process that runs `child`, which should execute a program, and returns when it has done so
/// or has exited.
///
/// The new process uses the memory of this one, which is suspended meanwhile, as in `posix_spawn`:
/// copying the page tables and the page faults of both processes afterwards would take longer than
/// everything that `child` does. What `child` writes can be read afterwards; descriptors, signals,
/// limits and credentials are its own.
pub(super) fn spawn_in_shared_memory(mut child: &mut dyn FnMut()) -> io::Result<Pid> {
    extern "C" fn enter(child: *mut c_void) -> c_int {
        // SAFETY: it points to the reference below, which is not used by the suspended parent.
        let child = unsafe { &mut *child.cast::<&mut dyn FnMut()>() };
        child();
        exit(127)
    }
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack is a new mapping of its own, and `clone` gets its end, since stacks grow
    // down. With CLONE_VFORK this process, which has no other thread, does not run before the child
    // has executed a program or exited, so nothing is accessed by both and everything that `child`
    // borrows stays valid. The child never returns into frames of this function.
    let pid = unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE;
        let stack = libc::mmap(ptr::null_mut(), STACK_BYTES, protection, kind, -1, 0);
        if stack == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let argument = (&raw mut child).cast::<c_void>();
        let pid = libc::clone(enter, stack.byte_add(STACK_BYTES), flags, argument);
        // The stack stays: this process does the same only once, and flushing it takes time.
        if pid == -1 {
            return Err(io::Error::last_os_error());
        }
        pid
    };
    Ok(Pid::from_raw(pid).expect("a process id is positive"))
}

/// Replaces this process by a program. Returns only if that failed.
pub(super) fn execute(program: &CStr, argv: &[CString], env: &[CString]) -> io::Error {
    let pointers = |texts: &[CString]| -> Vec<*const c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
    };
    let (argv, env) = (pointers(argv), pointers(env));
    // SAFETY: all texts are C strings that outlive the call, and both lists end with a null pointer.
    unsafe { libc::execve(program.as_ptr(), argv.as_ptr(), env.as_ptr()) };
    io::Error::last_os_error()
}

/// Ends this process without running exit handlers, which belong to `main`.
pub(super) fn exit(code: c_int) -> ! {
    // SAFETY: always sound.
    unsafe { libc::_exit(code) }
}

/// The memory of the packets that a Unix socket has sent and that were not received yet, in bytes.
pub(super) fn count_sent(socket: BorrowedFd<'_>) -> u64 {
    let mut bytes: c_int = 0;
    // SAFETY: writes the number to the pointed-to integer, or nothing if it fails.
    unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    u64::try_from(bytes).unwrap_or(0)
}

/// Lets all descriptors from 3 on be closed by the next execution of a program.
pub(super) fn close_on_exec() -> io::Result<()> {
    const FIRST: u32 = 3;
    // SAFETY: only changes the flags of descriptors.
    let result =
        unsafe { libc::syscall(libc::SYS_close_range, FIRST, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    check(result)
}

/// Whether the children of this process vanish when they exit or have to be waited for.
#[derive(Clone, Copy)]
pub(super) enum ExitedChildren {
    Vanish,
    AreKept,
}

/// Sets the action for SIGCHLD.
pub(super) fn set_exited_children(action: ExitedChildren) {
    let action = match action {
        ExitedChildren::Vanish => libc::SIG_IGN,
        ExitedChildren::AreKept => libc::SIG_DFL,
    };
    // SAFETY: installs no handler.
    unsafe { libc::signal(libc::SIGCHLD, action) };
}

/// Blocks SIGCHLD and SIGTERM and returns a descriptor from which they can be read.
pub(super) fn open_signals() -> io::Result<OwnedFd> {
    // SAFETY: the set is initialized by `sigemptyset` before it is used; the descriptor that
    // `signalfd` returns has no other owner.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        libc::sigaddset(&raw mut set, libc::SIGTERM);
        check(libc::sigprocmask(libc::SIG_BLOCK, &raw const set, ptr::null_mut()).into())?;
        let fd = libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        check(fd.into())?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// The first version of `struct sched_attr` of the kernel.
#[repr(C)]
#[derive(Default)]
struct SchedulingAttributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

/// Reduces the scheduling latency of this process: the highest priority if that is allowed, and the shortest
/// time slice (since Linux 6.12).
pub(super) fn shorten_latency() {
    const HIGHEST: i32 = -20;
    const SLICE_NS: u64 = 100_000;
    let size = u32::try_from(size_of::<SchedulingAttributes>()).unwrap_or_default();
    // Without the right to raise the priority the call fails as a whole, so the time slice is then
    // set alone.
    for nice in [HIGHEST, 0] {
        let own = SchedulingAttributes { size, nice, runtime: SLICE_NS, ..Default::default() };
        // SAFETY: the kernel reads as many bytes of the struct as its size says.
        let result = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const own, 0) };
        if result == 0 {
            return;
        }
    }
}

/// Unblocks all signals and gives SIGPIPE its default action, as programs expect.
pub(super) fn reset_signals() {
    // SAFETY: the set is initialized before it is used, and no handler is installed.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, ptr::null_mut());
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Brings up the loopback interface of a new network namespace.
pub(super) fn enable_loopback() -> io::Result<()> {
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    // SAFETY: all bytes zero is a valid value of the struct.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().zip(b"lo") {
        // Signed on x86-64, unsigned on arm64.
        *place = *byte as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as i16;
    // The type of the request depends on the C library.
    let operation = libc::SIOCSIFFLAGS as libc::Ioctl;
    // SAFETY: the kernel reads the name and the flags of the struct.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), operation, &raw const request) }.into())
}

/// `struct mount_attr` of the kernel.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Makes a mount and all mounts below it private, and read-only if requested.
pub(super) fn restrict_mount(
    folder: BorrowedFd<'_>,
    path: &CStr,
    is_read_only: bool,
) -> io::Result<()> {
    // `MOUNT_ATTR_RDONLY` of `linux/mount.h`.
    const READ_ONLY: u64 = 1;
    let attributes = MountAttributes {
        set: if is_read_only { READ_ONLY } else { 0 },
        clear: 0,
        propagation: libc::MS_PRIVATE,
        user_namespace: 0,
    };
    // SAFETY: the kernel reads as many bytes of the struct as its size says.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            folder.as_raw_fd(),
            path.as_ptr(),
            libc::AT_EMPTY_PATH | libc::AT_RECURSIVE,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    check(result)
}

fn check(result: c_long) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

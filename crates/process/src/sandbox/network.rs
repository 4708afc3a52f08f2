//! Denies sockets with seccomp. Landlock alone does not cover UDP, and Unix sockets lead to daemons
//! that would do for a child what it may not do itself. Socket pairs stay allowed, because they
//! connect only to the process itself.

use std::env::consts::ARCH;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

/// `EACCES`, so that programs report "permission denied".
const DENIED: u32 = 13;

/// The bit that marks x32 system calls on x86-64; with it, `socket` has a second number.
const X32: i64 = 0x4000_0000;

/// A filter that denies `socket`, `io_uring_setup` (which can create sockets without the system call)
/// and calls of another architecture. `None` on architectures whose call numbers are not listed.
pub(super) fn build_socket_filter() -> Option<BpfProgram> {
    let target = TargetArch::try_from(ARCH).ok()?;
    let (socket, io_uring_setup) = match target {
        TargetArch::x86_64 => (41, 425),
        TargetArch::aarch64 | TargetArch::riscv64 => (198, 425),
    };
    let rules =
        [socket, io_uring_setup, socket | X32, io_uring_setup | X32].map(|call| (call, Vec::new()));
    let filter = SeccompFilter::new(
        rules.into(),
        SeccompAction::Allow,
        SeccompAction::Errno(DENIED),
        target,
    );
    filter.ok()?.try_into().ok()
}

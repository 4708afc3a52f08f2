//! No sockets, by seccomp: Landlock alone lets UDP out, and local sockets lead to daemons that
//! would do for a child what it may not do itself. Socket pairs stay: they lead nowhere else.

use std::env::consts::ARCH;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

/// `EACCES`: programs say "permission denied", which is what it is.
const DENIED: u32 = 13;

/// The bit that annotations the x32 calls of x86-64, which otherwise pass as calls of other numbers.
const X32: i64 = 0x4000_0000;

/// A filter that denies sockets, `io_uring` (which makes sockets without the call) and calls of
/// another architecture. `None` on machines it is not written for.
pub(crate) fn no_sockets() -> Option<BpfProgram> {
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

//! A tag that every child of this process inherits: an anonymous file (memfd) named after the
//! process.
//!
//! A child may clear its environment and leave its process group, but it hardly ever closes a file
//! descriptor that it does not know. So the next server can find what a crashed one started.

use std::{fs, os::fd::OwnedFd, sync::OnceLock};

use rustix::fs::{MemfdFlags, memfd_create};

use crate::process_id::{ProcessId, Stat};

const NAME: &str = "toolcrib-child-of";

/// Ensures that children inherit the tag of this process. Where the kernel refuses a memfd, children
/// are recognized by their environment and group alone.
pub(crate) fn attach() {
    static TAG: OnceLock<Option<OwnedFd>> = OnceLock::new();
    TAG.get_or_init(|| {
        let pid = std::process::id();
        let name = format!("{NAME}-{}-{pid}-{}", pid_namespace()?, Stat::read(pid)?.started);
        // Without CLOEXEC, so that children inherit it.
        memfd_create(name, MemfdFlags::empty()).ok()
    });
}

/// Whether a process has the tag of a process that no longer runs.
pub(crate) fn is_abandoned(pid: u32) -> bool {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let mut names = files
        .filter_map(|file| fs::read_link(file.path()).ok()?.into_os_string().into_string().ok());
    names.any(|name| name.strip_prefix("/memfd:").is_some_and(is_tag_of_dead_process))
}

fn is_tag_of_dead_process(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(NAME).and_then(|rest| rest.strip_prefix('-')) else {
        return false;
    };
    let numbers: Vec<_> =
        rest.split([' ', '-']).take(3).filter_map(|number| number.parse::<u64>().ok()).collect();
    let [of, pid, started] = numbers[..] else {
        return false;
    };
    // In another PID namespace the same id means a different process.
    Some(of) == pid_namespace()
        && u32::try_from(pid).is_ok_and(|pid| !ProcessId { pid, started }.is_alive())
}

/// The inode number of the PID namespace of this process: process ids have a meaning only within it.
pub fn pid_namespace() -> Option<u64> {
    let link = fs::read_link("/proc/self/ns/pid").ok()?.into_os_string().into_string().ok()?;
    link.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok()
}

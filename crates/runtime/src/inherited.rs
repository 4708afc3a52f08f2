//! A mark that every child of this process inherits: an open file without a place on any disk,
//! named after the process.
//!
//! A child may clear its environment and leave its group; it hardly ever closes a file that it does
//! not know of. So whoever comes after a server that died finds what that server started.

use std::{fs, os::fd::OwnedFd, sync::OnceLock};

use rustix::fs::{MemfdFlags, memfd_create};

use crate::processes;

const NAME: &str = "toolcrib-child-of";

/// Makes sure that children inherit the mark of this process. Where the kernel will not have it,
/// they are known by less.
pub(crate) fn leave() {
    static MARK: OnceLock<Option<OwnedFd>> = OnceLock::new();
    MARK.get_or_init(|| {
        let pid = std::process::id();
        let name = format!("{NAME}-{}-{pid}-{}", namespace()?, processes::stat(pid)?.started);
        // Without the flag that would close it in children.
        memfd_create(name, MemfdFlags::empty()).ok()
    });
}

/// Whether a process has the mark of one that is no more.
pub(crate) fn is_abandoned(pid: u32) -> bool {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let mut names = files
        .filter_map(|file| fs::read_link(file.path()).ok()?.into_os_string().into_string().ok());
    names.any(|name| name.strip_prefix("/memfd:").is_some_and(is_of_the_dead))
}

fn is_of_the_dead(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(NAME).and_then(|rest| rest.strip_prefix('-')) else {
        return false;
    };
    let numbers: Vec<_> =
        rest.split([' ', '-']).take(3).filter_map(|number| number.parse::<u64>().ok()).collect();
    let [of, pid, started] = numbers[..] else {
        return false;
    };
    // Elsewhere the same id means another process.
    Some(of) == namespace()
        && u32::try_from(pid).is_ok_and(|pid| !processes::is_alive(pid, started))
}

/// The namespace in which process ids have their meaning here.
pub(crate) fn namespace() -> Option<u64> {
    let link = fs::read_link("/proc/self/ns/pid").ok()?.into_os_string().into_string().ok()?;
    link.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok()
}

//! Finding and killing the children of this process.

use std::{collections::HashSet, thread, time::Duration};

use rustix::{
    io::Errno,
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, getpgrp, getpid, kill_process, kill_process_group,
        pidfd_open, pidfd_send_signal, wait,
    },
};

use crate::{
    process_id::{ProcessId, Stat, list_pids},
    process_table::{self, FoundProcess},
};

/// Pause between two attempts to kill children that start others meanwhile.
const SETTLE: Duration = Duration::from_millis(1);

/// Sends a signal to every child of this process.
pub(super) fn signal_children(signal: Signal) {
    let own = getpid().as_raw_nonzero().get().cast_unsigned();
    let is_child = |pid: &u32| Stat::read(*pid).is_some_and(|stat| stat.parent == own);
    for pid in list_pids().filter(is_child) {
        let _ = Pid::from_raw(pid.cast_signed()).map(|pid| kill_process(pid, signal));
    }
}

/// Kills the descendants of this process until there are none. Those that lose their parent become its
/// children, because it is their subreaper.
pub(super) fn kill_all() {
    loop {
        kill_descendants();
        if reap() == Reaped::All {
            return;
        }
        thread::sleep(SETTLE);
    }
}

/// All generations at once, and whole process groups before single processes: the kernel signals all
/// members of a group in one step, and a fork bomb grows faster than its processes can be listed.
fn kill_descendants() {
    let own = getpid();
    let id = ProcessId::from_pid(own.as_raw_nonzero().get().cast_unsigned());
    let found = id.map(process_table::find_descendants).unwrap_or_default();
    let groups: HashSet<_> = found.iter().map(FoundProcess::group).collect();
    let groups = groups.into_iter().filter_map(|group| Pid::from_raw(group.cast_signed()));
    // Descendants cannot join a group of another session, so it has no other members.
    for group in groups.filter(|group| *group != getpgrp()) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    for process in found {
        let pid = Pid::from_raw(process.pid().cast_signed());
        let handle = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        // Checked once the handle is open: the id may belong to an unrelated process by now.
        if let Some(handle) = handle.filter(|_| process.is_alive()) {
            let _ = pidfd_send_signal(handle, Signal::KILL);
        }
    }
}

/// Waits for children that end by themselves, such as supervisors, and kills the others: the orphans
/// of a supervisor that was killed.
pub(super) fn kill_orphans() {
    // A supervisor needs a moment to kill its program.
    const ATTEMPTS: u32 = 200;
    for _ in 0..ATTEMPTS {
        if reap() == Reaped::All {
            return;
        }
        thread::sleep(SETTLE);
    }
    kill_all();
}

#[derive(PartialEq, Eq)]
enum Reaped {
    All,
    Some,
}

fn reap() -> Reaped {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return Reaped::Some,
            Err(_) => return Reaped::All,
        }
    }
}

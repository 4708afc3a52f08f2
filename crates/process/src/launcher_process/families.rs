//! Finding and killing the children of this process.

use std::{thread, time::Duration};

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitOptions, getpid, kill_process, wait},
};

use crate::process_id::{Stat, all_pids};

/// Pause between two attempts to kill children that start others meanwhile.
const SETTLE: Duration = Duration::from_millis(1);

/// Sends a signal to every child of this process.
pub(super) fn signal_children(signal: Signal) {
    let own = getpid().as_raw_nonzero().get().cast_unsigned();
    let is_child = |pid: &u32| Stat::read(*pid).is_some_and(|stat| stat.parent == own);
    for pid in all_pids().filter(is_child) {
        let _ = Pid::from_raw(pid.cast_signed()).map(|pid| kill_process(pid, signal));
    }
}

/// Kills the children of this process, and their children, which it adopts as their subreaper, until
/// there are none.
pub(super) fn kill_all() {
    loop {
        signal_children(Signal::KILL);
        if reap() == Reaped::All {
            return;
        }
        thread::sleep(SETTLE);
    }
}

/// Waits for children that end by themselves, such as supervisors, and kills the others: the orphans
/// of a supervisor that was killed.
pub(super) fn kill_orphans() {
    // A supervisor needs a moment to kill its program.
    const PATIENCE: u32 = 200;
    for _ in 0..PATIENCE {
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

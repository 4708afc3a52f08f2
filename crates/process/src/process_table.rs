//! Lists and kills the processes of a command: the descendants of its supervisor.
//!
//! A supervisor adopts every process of its command that loses its parent, so a daemon is a descendant
//! of it, too. Reading all of `/proc` is slow, so it happens only when a command has to be killed.

use std::{collections::HashSet, fs};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::process_id::{ProcessId, Stat, list_pids};

/// A process that was killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KilledProcess {
    /// Its process id.
    pub pid: u32,
    /// The name that the kernel lists, at most 15 bytes.
    pub name: String,
    /// `TERM` if that was enough, else `KILL`.
    pub signal: String,
}

/// A process as it was when `/proc` was scanned.
#[derive(Clone, Debug)]
pub struct FoundProcess {
    pid: u32,
    stat: Stat,
}

impl FoundProcess {
    /// Its process id.
    #[cfg(target_os = "linux")]
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// The id of its process group.
    #[cfg(target_os = "linux")]
    pub(crate) fn group(&self) -> u32 {
        self.stat.group
    }

    /// Whether it still runs.
    pub fn is_alive(&self) -> bool {
        ProcessId { pid: self.pid, started: self.stat.started }.is_alive()
    }

    /// Its resident memory in bytes; 0 if it is gone.
    pub fn memory(&self) -> u64 {
        let pages = fs::read_to_string(format!("/proc/{}/statm", self.pid)).ok();
        let resident = pages.and_then(|pages| pages.split(' ').nth(1)?.parse::<u64>().ok());
        resident.unwrap_or(0) * rustix::param::page_size() as u64
    }

    /// The record of killing it with this signal.
    pub fn killed_by(self, signal: Signal) -> KilledProcess {
        let signal = if signal == Signal::TERM { "TERM" } else { "KILL" };
        KilledProcess { pid: self.pid, name: self.stat.name, signal: signal.to_owned() }
    }
}

/// The running processes of a command, by its supervisor, which is not one of them. None if the
/// supervisor is gone.
pub fn find_descendants(supervisor: ProcessId) -> Vec<FoundProcess> {
    if !supervisor.is_alive() {
        return Vec::new();
    }
    let read = |pid| Stat::read(pid).map(|stat| FoundProcess { pid, stat });
    let mut others: Vec<_> = list_pids().filter_map(read).collect();
    let (mut known, mut found) = (HashSet::from([supervisor.pid]), Vec::new());
    // Process ids wrap around, so parents may be listed after their children.
    loop {
        let (new, rest): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|other| known.contains(&other.stat.parent));
        if new.is_empty() {
            break;
        }
        known.extend(new.iter().map(|process| process.pid));
        found.extend(new);
        others = rest;
    }
    // Filtered last: a process whose first thread has exited counts as a zombie but may still have
    // children.
    found.retain(|process| !process.stat.is_dead());
    found.sort_by_key(|process| process.pid);
    found
}

/// Kills all processes of a command, by its supervisor, and returns them.
pub fn kill_descendants(supervisor: ProcessId) -> Vec<KilledProcess> {
    let found = find_descendants(supervisor);
    // On SIGTERM, a supervisor without a pid namespace kills its processes before it exits.
    if supervisor.is_alive() {
        let _ =
            Pid::from_raw(supervisor.pid.cast_signed()).map(|pid| kill_process(pid, Signal::TERM));
    }
    found.into_iter().map(|found| found.killed_by(Signal::KILL)).collect()
}

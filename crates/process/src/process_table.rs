//! Finds and kills the processes of a command, including daemons that left its process group.
//!
//! They are recognized by the private folder in their environment (`TMPDIR`). That means reading all
//! of `/proc`, which is slow, so it happens only when a command had to be killed.

use std::{collections::HashMap, fs, os::unix::ffi::OsStrExt, path::Path, thread, time::Duration};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::{
    process_id::{ProcessId, Stat},
    server_tag,
};

/// Scans per kill: a process may start another one during a scan, which the next scan finds.
const ROUNDS: usize = 10;
/// Pause between scans, so that a process that was just forked gets its environment.
const SETTLE: Duration = Duration::from_millis(10);

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

/// How the processes of one command are recognized.
#[derive(Clone, Copy, Debug)]
pub struct ProcessQuery<'a> {
    /// The leader of their process group.
    pub leader: Option<ProcessId>,
    /// Their `TMPDIR`, whether or not they are still in the group.
    pub folder: &'a Path,
}

/// The running processes that match a query, each with the index of that query.
pub fn find(queries: &[ProcessQuery<'_>]) -> Vec<(usize, FoundProcess)> {
    find_also(queries, &mut groups_of(queries))
}

/// Kills every process that matches a query; returns the killed processes of each query.
pub fn kill(queries: &[ProcessQuery<'_>]) -> Vec<Vec<KilledProcess>> {
    let mut killed = vec![Vec::new(); queries.len()];
    let mut groups = groups_of(queries);
    let mut was_empty = false;
    for _ in 0..ROUNDS {
        let found = find_also(queries, &mut groups);
        // Scan once more: a process that was just forked may not have its environment yet.
        if found.is_empty() && was_empty {
            break;
        }
        was_empty = found.is_empty();
        for (index, found) in found {
            // It may have exited meanwhile, so errors do not matter.
            let _ =
                Pid::from_raw(found.pid.cast_signed()).map(|pid| kill_process(pid, Signal::KILL));
            killed[index].push(found.killed_by(Signal::KILL));
        }
        thread::sleep(SETTLE);
    }
    for killed in &mut killed {
        killed.sort_by_key(|killed: &KilledProcess| killed.pid);
        killed.dedup_by_key(|killed| killed.pid);
    }
    killed
}

/// Kills every process that was started by a server which no longer runs; returns how many.
pub fn kill_abandoned() -> usize {
    let mut killed = 0;
    for _ in 0..ROUNDS {
        let abandoned: Vec<_> = all().filter(|found| server_tag::is_abandoned(found.pid)).collect();
        if abandoned.is_empty() {
            break;
        }
        killed += abandoned.len();
        for found in abandoned {
            // It may have exited meanwhile, so errors do not matter.
            let _ =
                Pid::from_raw(found.pid.cast_signed()).map(|pid| kill_process(pid, Signal::KILL));
        }
        thread::sleep(SETTLE);
    }
    killed
}

/// The process groups of the queries, with the index of the query.
fn groups_of(queries: &[ProcessQuery<'_>]) -> HashMap<u32, usize> {
    let leaders =
        queries.iter().enumerate().filter_map(|(index, query)| Some((query.leader?, index)));
    // The kernel does not reuse the id of a group that has members. If a process with that id
    // started at a different time, the group is gone and the id belongs to an unrelated one.
    let ours = leaders.filter(|(leader, _)| {
        Stat::read(leader.pid).is_none_or(|stat| stat.started == leader.started)
    });
    ours.map(|(leader, index)| (leader.pid, index)).collect()
}

/// Processes that cleared their environment are recognized by the group of those that did not, so
/// the groups of matching processes are added to `groups`.
fn find_also(
    queries: &[ProcessQuery<'_>],
    groups: &mut HashMap<u32, usize>,
) -> Vec<(usize, FoundProcess)> {
    let all: Vec<_> = all().collect();
    let marked = all.iter().filter_map(|found| {
        let folder = temporary_folder(found.pid)?;
        let index =
            queries.iter().position(|query| query.folder.as_os_str().as_bytes() == folder)?;
        Some((found.pid, index))
    });
    let marked: HashMap<u32, usize> = marked.collect();
    groups.extend(&marked);
    let index = |found: &FoundProcess| {
        marked.get(&found.pid).or_else(|| groups.get(&found.stat.group)).copied()
    };
    all.into_iter().filter_map(|found| Some((index(&found)?, found))).collect()
}

/// The `TMPDIR` in the environment that a process was started with.
fn temporary_folder(pid: u32) -> Option<Vec<u8>> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environment
        .split(|byte| *byte == 0)
        .find_map(|variable| variable.strip_prefix(b"TMPDIR="))
        .map(<[u8]>::to_vec)
}

/// Every running process.
fn all() -> impl Iterator<Item = FoundProcess> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| Stat::read(pid).map(|stat| FoundProcess { pid, stat }))
        .filter(|found| !found.stat.is_dead())
}

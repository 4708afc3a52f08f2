//! Processes as the kernel lists them: whether one still runs, who belongs to a call, and ending
//! those that left its process group (daemons, mostly).
//!
//! A call's processes are known by the private temporary folder in their environment. Looking for
//! them is slow, so only a call that had to be ended does.

use std::{collections::HashMap, fs, os::unix::ffi::OsStrExt, path::Path, thread, time::Duration};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::{inherited, operation::ProcessMark};

/// A process may start another while it is being looked for; a few rounds find that one, too.
const ROUNDS: usize = 10;
/// Long enough for a process that was just made to get its environment.
const SETTLE: Duration = Duration::from_millis(10);

/// What the kernel says about a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) name: String,
    state: char,
    group: u32,
    /// In ticks since boot; with the id it names a process for as long as the machine runs.
    pub(crate) started: u64,
}

/// A process that was ended, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Killed {
    pub(crate) pid: u32,
    pub(crate) name: String,
    /// `TERM` if that was enough, else `KILL`.
    pub(crate) signal: String,
}

/// A process that was seen.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pid: u32,
    stat: Stat,
}

impl Seen {
    pub(crate) fn is_alive(&self) -> bool {
        is_alive(self.pid, self.stat.started)
    }

    /// How many bytes of memory it has; 0 if it is gone.
    pub(crate) fn memory(&self) -> u64 {
        let pages = fs::read_to_string(format!("/proc/{}/statm", self.pid)).ok();
        let resident = pages.and_then(|pages| pages.split(' ').nth(1)?.parse::<u64>().ok());
        resident.unwrap_or(0) * rustix::param::page_size() as u64
    }

    pub(crate) fn killed_by(self, signal: Signal) -> Killed {
        let signal = if signal == Signal::TERM { "TERM" } else { "KILL" };
        Killed { pid: self.pid, name: self.stat.name, signal: signal.to_owned() }
    }
}

/// What the kernel says about a process.
pub(crate) fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may have some of its own.
    let (head, rest) = text.rsplit_once(") ")?;
    let fields: Vec<_> = rest.split(' ').collect();
    Some(Stat {
        name: head.split_once('(')?.1.to_owned(),
        state: fields.first()?.chars().next()?,
        group: fields.get(2)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

/// Whether the process that started then still runs. A zombie does not.
pub(crate) fn is_alive(pid: u32, started: u64) -> bool {
    stat(pid).is_some_and(|stat| stat.started == started && !matches!(stat.state, 'Z' | 'X'))
}

/// By what the processes of a call are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trace<'a> {
    /// The leader of their group.
    pub(crate) leader: Option<ProcessMark>,
    /// Their `TMPDIR`, in or out of the group.
    pub(crate) folder: &'a Path,
}

/// The processes that belong to one of these, with which of them it is.
pub(crate) fn find(traces: &[Trace<'_>]) -> Vec<(usize, Seen)> {
    find_also(traces, &mut groups_of(traces))
}

/// Kills every process that belongs to one of these; says whom, for each.
pub(crate) fn kill(traces: &[Trace<'_>]) -> Vec<Vec<Killed>> {
    let mut killed = vec![Vec::new(); traces.len()];
    let mut groups = groups_of(traces);
    let mut is_quiet = false;
    for _ in 0..ROUNDS {
        let found = find_also(traces, &mut groups);
        // One more look: a process that was just made may not have its environment yet.
        if found.is_empty() && is_quiet {
            break;
        }
        is_quiet = found.is_empty();
        for (index, seen) in found {
            // It may have ended meanwhile, which is just as well.
            let _ =
                Pid::from_raw(seen.pid.cast_signed()).map(|pid| kill_process(pid, Signal::KILL));
            killed[index].push(seen.killed_by(Signal::KILL));
        }
        thread::sleep(SETTLE);
    }
    for killed in &mut killed {
        killed.sort_by_key(|killed: &Killed| killed.pid);
        killed.dedup_by_key(|killed| killed.pid);
    }
    killed
}

/// Kills every process whose server is no more; says how many.
pub(crate) fn kill_abandoned() -> usize {
    let mut killed = 0;
    for _ in 0..ROUNDS {
        let abandoned: Vec<_> = all().filter(|seen| inherited::is_abandoned(seen.pid)).collect();
        if abandoned.is_empty() {
            break;
        }
        killed += abandoned.len();
        for seen in abandoned {
            // It may have ended meanwhile, which is just as well.
            let _ =
                Pid::from_raw(seen.pid.cast_signed()).map(|pid| kill_process(pid, Signal::KILL));
        }
        thread::sleep(SETTLE);
    }
    killed
}

/// The groups that are known to be of a call.
fn groups_of(traces: &[Trace<'_>]) -> HashMap<u32, usize> {
    let leaders =
        traces.iter().enumerate().filter_map(|(index, trace)| Some((trace.leader?, index)));
    // The id of a group is not given to a new process while the group has members; but once it is
    // given to one, the group is another.
    let ours = leaders
        .filter(|(leader, _)| stat(leader.pid).is_none_or(|stat| stat.started == leader.started));
    ours.map(|(leader, index)| (leader.pid, index)).collect()
}

/// Those who cleared their environment are known by the group of those who did not; `groups` learns
/// of them.
fn find_also(traces: &[Trace<'_>], groups: &mut HashMap<u32, usize>) -> Vec<(usize, Seen)> {
    let all: Vec<_> = all().collect();
    let marked = all.iter().filter_map(|seen| {
        let folder = temporary_folder(seen.pid)?;
        let index =
            traces.iter().position(|trace| trace.folder.as_os_str().as_bytes() == folder)?;
        Some((seen.pid, index))
    });
    let marked: HashMap<u32, usize> = marked.collect();
    groups.extend(&marked);
    let index =
        |seen: &Seen| marked.get(&seen.pid).or_else(|| groups.get(&seen.stat.group)).copied();
    all.into_iter().filter_map(|seen| Some((index(&seen)?, seen))).collect()
}

/// The `TMPDIR` in the environment that a process was started with.
fn temporary_folder(pid: u32) -> Option<Vec<u8>> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environment
        .split(|byte| *byte == 0)
        .find_map(|variable| variable.strip_prefix(b"TMPDIR="))
        .map(<[u8]>::to_vec)
}

/// Every process that runs.
fn all() -> impl Iterator<Item = Seen> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| stat(pid).map(|stat| Seen { pid, stat }))
        .filter(|seen| !matches!(seen.stat.state, 'Z' | 'X'))
}

#[cfg(test)]
mod tests {
    use super::{is_alive, stat};

    #[test]
    fn knows_this_process() {
        let pid = std::process::id();
        let started = stat(pid).unwrap_or_else(|| panic!("this process runs")).started;
        assert!(is_alive(pid, started));
        assert!(!is_alive(pid, started + 1), "the id was used again");
    }
}

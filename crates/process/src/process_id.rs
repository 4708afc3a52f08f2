//! Process identity that survives the reuse of process ids.

use std::fs;

use serde::{Deserialize, Serialize};

/// Identifies a process within one boot of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessId {
    /// The kernel's process id, which may be reused after the process is gone.
    pub pid: u32,
    /// The start time in ticks since boot, which tells two users of the same id apart.
    pub started: u64,
}

impl ProcessId {
    /// The process that has this id now, if any.
    pub fn from_pid(pid: u32) -> Option<Self> {
        Stat::read(pid).map(|stat| Self { pid, started: stat.started })
    }

    /// Whether it still runs. A zombie does not.
    pub fn is_alive(self) -> bool {
        Stat::read(self.pid).is_some_and(|stat| stat.started == self.started && !stat.is_dead())
    }
}

/// The fields of `/proc/PID/stat` that are used here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) name: String,
    state: char,
    /// The id of the parent.
    pub(crate) parent: u32,
    /// The id of its process group.
    pub(crate) group: u32,
    pub(crate) started: u64,
}

impl Stat {
    /// Only whether the process exists: without a start time, a process with a reused id is taken for it.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn read(pid: u32) -> Option<Self> {
        use rustix::{
            io::Errno,
            process::{Pid, test_kill_process},
        };
        let exists = test_kill_process(Pid::from_raw(pid.cast_signed())?);
        // A process of another user.
        let exists = exists.is_ok() || exists == Err(Errno::PERM);
        exists.then_some(Self { name: String::new(), state: 'R', parent: 0, group: 0, started: 0 })
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn read(pid: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name is in parentheses and may contain parentheses and spaces itself.
        let (head, rest) = text.rsplit_once(") ")?;
        let fields: Vec<_> = rest.split(' ').collect();
        Some(Self {
            name: head.split_once('(')?.1.to_owned(),
            state: fields.first()?.chars().next()?,
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            // Field 22 of proc(5), which counts from 1 and includes the id and the name.
            started: fields.get(19)?.parse().ok()?,
        })
    }

    /// Whether it is a zombie or dead.
    pub(crate) fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

/// The ids of all processes; none on systems without `/proc`.
pub(crate) fn list_pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::ProcessId;

    #[test]
    fn detects_a_reused_pid() {
        let this = ProcessId::from_pid(std::process::id()).expect("this process runs");
        assert!(this.is_alive());
        assert!(!ProcessId { started: this.started + 1, ..this }.is_alive());
    }
}

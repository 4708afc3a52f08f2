//! Measures the resources that all processes of a local render use together. Kernel limits apply to
//! each process separately, so this polls.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use process::{
    ProcessId,
    process_table::{self, FoundProcess},
};
use tokio::{task::spawn_blocking, time::sleep};

/// Interval between measurements.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Limits of a render.
#[derive(Clone, Debug)]
pub(super) struct ResourceLimits {
    pub(super) memory: u64,
    pub(super) processes: usize,
    pub(super) disk: u64,
    /// Its writable folder.
    pub(super) folder: PathBuf,
}

/// The exceeded limit and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitExceeded {
    Memory(u64),
    Processes(usize),
    Disk(u64),
}

/// Identifies its processes.
#[derive(Clone, Debug)]
pub(super) struct ProcessGroupId {
    /// The supervisor, whose descendants they are.
    pub(super) leader: Option<ProcessId>,
    /// Their temporary folder.
    pub(super) folder: PathBuf,
}

/// Resolves when a render exceeds a limit; never without limits.
pub(super) async fn watch(
    limits: Option<&ResourceLimits>,
    group: &ProcessGroupId,
) -> LimitExceeded {
    let Some(limits) = limits else {
        return std::future::pending().await;
    };
    loop {
        sleep(POLL_INTERVAL).await;
        let (limits, group) = (limits.clone(), group.clone());
        if let Ok(Some(excess)) = spawn_blocking(move || check(&limits, &group)).await {
            return excess;
        }
    }
}

fn check(limits: &ResourceLimits, group: &ProcessGroupId) -> Option<LimitExceeded> {
    let found = group.leader.map(process_table::find_descendants).unwrap_or_default();
    if found.len() > limits.processes {
        return Some(LimitExceeded::Processes(limits.processes));
    }
    let memory: u64 = found.iter().map(FoundProcess::memory).sum();
    if memory > limits.memory {
        return Some(LimitExceeded::Memory(limits.memory));
    }
    let written = folder_size(&limits.folder) + folder_size(&group.folder);
    (written > limits.disk).then_some(LimitExceeded::Disk(limits.disk))
}

/// The total size of the files below a folder.
fn folder_size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| {
        let found = entry.metadata().ok()?;
        Some(if found.is_dir() { folder_size(&entry.path()) } else { found.len() })
    });
    sizes.sum()
}

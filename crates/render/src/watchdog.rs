//! What a render takes of this machine, all its processes together. Limits of the kernel hold for one
//! process each, so this looks at them from time to time.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use process::{
    ProcessId,
    process_table::{self, ProcessQuery},
};
use tokio::{task::spawn_blocking, time::sleep};

/// How often is looked.
const GLANCE: Duration = Duration::from_millis(250);

/// What a render may take.
#[derive(Clone, Debug)]
pub(super) struct Ceiling {
    pub(super) memory: u64,
    pub(super) processes: usize,
    pub(super) disk: u64,
    /// The folder it may write to.
    pub(super) folder: PathBuf,
}

/// What it took more of than it may, and how much it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    Memory(u64),
    Processes(usize),
    Disk(u64),
}

/// By what its processes are known.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) leader: Option<ProcessId>,
    /// Their temporary folder.
    pub(super) folder: PathBuf,
}

/// Ends when a render takes too much; never, if it may take what it wants.
pub(super) async fn watch(ceiling: Option<&Ceiling>, mark: &Mark) -> Excess {
    let Some(ceiling) = ceiling else {
        return std::future::pending().await;
    };
    loop {
        sleep(GLANCE).await;
        let (ceiling, mark) = (ceiling.clone(), mark.clone());
        if let Ok(Some(excess)) = spawn_blocking(move || look(&ceiling, &mark)).await {
            return excess;
        }
    }
}

fn look(ceiling: &Ceiling, mark: &Mark) -> Option<Excess> {
    let found = process_table::find(&[ProcessQuery { leader: mark.leader, folder: &mark.folder }]);
    if found.len() > ceiling.processes {
        return Some(Excess::Processes(ceiling.processes));
    }
    let memory: u64 = found.iter().map(|(_, seen)| seen.memory()).sum();
    if memory > ceiling.memory {
        return Some(Excess::Memory(ceiling.memory));
    }
    let written = size(&ceiling.folder) + size(&mark.folder);
    (written > ceiling.disk).then_some(Excess::Disk(ceiling.disk))
}

/// How long all files below a folder are.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| {
        let found = entry.metadata().ok()?;
        Some(if found.is_dir() { size(&entry.path()) } else { found.len() })
    });
    sizes.sum()
}

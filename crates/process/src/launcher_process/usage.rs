//! Measures the resources that the processes of a program use together. Kernel limits apply to each
//! process alone, or not at all to shared memory and folders, so the supervisor periodically adds up the
//! use.

use std::{
    collections::HashSet,
    fs, io,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rustix::fs::statvfs;

use super::{
    cgroups::Group,
    kernel_memory::{Queues, count_messages_and_semaphores},
};
use crate::{
    process_id::{ProcessId, list_pids},
    process_table,
    protocol::StartRequest,
    sandbox::{Violation, WATCH_INTERVAL},
};

/// When a program is checked first. The time then doubles up to [`WATCH_INTERVAL`]: a fork bomb is found
/// while it is small.
const FIRST_INTERVAL: Duration = Duration::from_millis(20);

/// A check may take at most this part of the time: a private folder can have many files.
const MAX_SHARE: u32 = 20;

/// Minimum size that is counted per file, in bytes. Empty files take no blocks, but enough of them would
/// still exhaust a file system.
const MIN_FILE_BYTES: u64 = 4096;

/// Checks the limits of a program.
pub(super) struct Watch<'a> {
    request: &'a StartRequest,
    /// The private places in memory; absent without namespaces.
    own_places: Option<&'a [&'a str]>,
    /// Where the kernel limits memory and processes itself.
    group: Option<&'a Group>,
    interval: Duration,
    next: Instant,
    /// Whether the last check found too much memory.
    is_suspect: bool,
}

impl<'a> Watch<'a> {
    /// `None` if the program has no limits as a whole.
    pub(super) fn new(
        request: &'a StartRequest,
        own_places: Option<&'a [&'a str]>,
        group: Option<&'a Group>,
    ) -> Option<Self> {
        let interval = FIRST_INTERVAL;
        let next = Instant::now() + interval;
        let is_suspect = false;
        request.is_watched().then_some(Self {
            request,
            own_places,
            group,
            interval,
            next,
            is_suspect,
        })
    }

    /// The time until the next check.
    pub(super) fn remaining(&self) -> Duration {
        self.next.saturating_duration_since(Instant::now())
    }

    /// The limit that is exceeded, if it is time for a check.
    pub(super) fn check(&mut self) -> Option<Violation> {
        let begun = Instant::now();
        if begun < self.next {
            return None;
        }
        let found = self.find_excess();
        let now = Instant::now();
        self.interval = WATCH_INTERVAL.min(self.interval * 2);
        self.next = now + self.interval.max((now - begun) * MAX_SHARE);
        // Processes are read one after the other. If some exit meanwhile, the share of the others in
        // common memory grows, and it counts more than once. So a second check has to find the same.
        let is_measured = found == Some(Violation::Memory) && self.group.is_none();
        if is_measured && !std::mem::replace(&mut self.is_suspect, is_measured) {
            self.next = now + FIRST_INTERVAL;
            return None;
        }
        self.is_suspect = is_measured;
        found
    }

    /// The limit that the kernel has enforced already.
    pub(super) fn find_enforced(&self) -> Option<Violation> {
        self.group.and_then(Group::find_excess)
    }

    fn find_excess(&self) -> Option<Violation> {
        let pids = self.pids();
        let held = Held::find(&pids, &self.request.folder);
        let places = self.own_places.map_or(0, bytes_of_places);
        let used = match self.group {
            Some(group) => group.find_excess(),
            None => self.add_up(&pids, held.memory + places, held.queues),
        };
        used.or_else(|| {
            let limit = self.request.sandbox.temp_bytes;
            let listed = folder_bytes(&self.request.folder, limit);
            let written = listed.saturating_add(held.deleted + places);
            (written > limit).then_some(Violation::TempFiles)
        })
    }

    /// Adds up processes and memory; `held` is memory in files, `queues` that of sockets and pipes.
    fn add_up(&self, pids: &[u32], held: u64, queues: u64) -> Option<Violation> {
        let sandbox = &self.request.sandbox;
        let used: Vec<_> = pids.iter().filter_map(|pid| ProcessUsage::read(*pid)).collect();
        if used.iter().map(|used| used.threads).sum::<u64>() > sandbox.processes {
            return Some(Violation::Processes);
        }
        // Without an ipc namespace, the file lists the segments of the whole machine.
        let held = held + self.own_places.map_or(0, |_| shared_segments());
        let messages = self.own_places.map_or(0, |_| count_messages_and_semaphores());
        let page_tables: u64 = used.iter().map(|used| used.page_tables).sum();
        let kernel = page_tables + messages + queues;
        // Files that are mapped would count twice.
        let total = |used: &[ProcessUsage]| {
            let anonymous: u64 = used.iter().map(|used| used.anonymous).sum();
            let shared: u64 = used.iter().map(|used| used.shared).sum();
            anonymous + shared.max(held) + kernel
        };
        if total(&used) <= sandbox.memory_bytes {
            return None;
        }
        // Pages that several processes share were counted for each of them. Counting exactly takes
        // long, so it happens only near the limit.
        let exact: Vec<_> = used.into_iter().map(ProcessUsage::with_shares).collect();
        (total(&exact) > sandbox.memory_bytes).then_some(Violation::Memory)
    }

    /// The processes of the program.
    fn pids(&self) -> Vec<u32> {
        let own = std::process::id();
        if self.own_places.is_some() {
            // The private `/proc` has no others.
            return list_pids().filter(|pid| *pid != own).collect();
        }
        find_children(own).unwrap_or_else(|_| {
            let found = ProcessId::from_pid(own).map(process_table::find_descendants);
            found.unwrap_or_default().iter().map(process_table::FoundProcess::pid).collect()
        })
    }
}

/// The descendants of a process. An error if the kernel does not list children: then all processes of
/// the machine have to be read, which takes much longer.
fn find_children(pid: u32) -> io::Result<Vec<u32>> {
    // The supervisor has no other thread.
    let own = children_of(pid, pid)?;
    let (mut found, mut pending) = (own.clone(), own);
    while let Some(pid) = pending.pop() {
        // Children belong to the thread that has started them.
        let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let threads = threads.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        for children in threads.filter_map(|thread| children_of(pid, thread).ok()) {
            found.extend(&children);
            pending.extend(children);
        }
    }
    Ok(found)
}

fn children_of(pid: u32, thread: u32) -> io::Result<Vec<u32>> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{thread}/children"))?;
    Ok(text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect())
}

/// The memory that one process uses. Mapped files do not count, because the kernel can drop their pages.
struct ProcessUsage {
    pid: u32,
    threads: u64,
    anonymous: u64,
    shared: u64,
    /// Mappings that are only read take none of the others.
    page_tables: u64,
}

impl ProcessUsage {
    fn read(pid: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        Some(Self {
            pid,
            // A zombie has no lines about memory.
            threads: find_number(&text, "Threads:").unwrap_or(1),
            anonymous: find_number(&text, "RssAnon:").unwrap_or(0) * 1024,
            shared: find_number(&text, "RssShmem:").unwrap_or(0) * 1024,
            page_tables: find_number(&text, "VmPTE:").unwrap_or(0) * 1024,
        })
    }

    /// Uses the proportional set size, where the kernel reports it, which counts only the process's
    /// share of shared pages.
    fn with_shares(self) -> Self {
        let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid));
        let text = text.unwrap_or_default();
        let find = |label, other| find_number(&text, label).map_or(other, |kib| kib * 1024);
        Self {
            anonymous: find("Pss_Anon:", self.anonymous),
            shared: find("Pss_Shmem:", self.shared),
            ..self
        }
    }
}

fn find_number(text: &str, label: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The bytes behind open descriptors that no folder lists.
#[derive(Default)]
struct Held {
    /// Memory files, mapped or not.
    memory: u64,
    /// Deleted files of the private folder.
    deleted: u64,
    /// What is in sockets and pipes.
    queues: u64,
}

impl Held {
    fn find(pids: &[u32], folder: &Path) -> Self {
        let (mut known, mut held, mut queues) = (HashSet::new(), Self::default(), Queues::new());
        for pid in pids {
            let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
            for entry in open {
                let path = entry.path();
                let Ok(name) = fs::read_link(&path) else { continue };
                queues.add(*pid, &entry, name.as_os_str().as_bytes());
                // Compared as bytes, because `Path::starts_with` compares whole components.
                let is_memory = name.as_os_str().as_bytes().starts_with(b"/memfd:");
                if !is_memory && !name.starts_with(folder) {
                    continue;
                }
                let Ok(found) = fs::metadata(&path) else { continue };
                // Files with a name are counted by the folder that lists them. A descriptor may be
                // open in several processes.
                if found.nlink() > 0 || !known.insert((found.dev(), found.ino())) {
                    continue;
                }
                let bytes = if is_memory { &mut held.memory } else { &mut held.deleted };
                *bytes += found.blocks() * 512;
            }
        }
        Self { queues: queues.bytes(), ..held }
    }
}

/// The bytes in private places, which are file systems in memory.
fn bytes_of_places(places: &[&str]) -> u64 {
    let found = places.iter().filter_map(|place| statvfs(*place).ok());
    found.map(|found| (found.f_blocks - found.f_bfree) * found.f_frsize).sum()
}

/// The resident bytes of System V shared memory in this ipc namespace.
fn shared_segments() -> u64 {
    let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    // The column `rss`; the first line has the names.
    let resident = segments.lines().skip(1).filter_map(|line| line.split_whitespace().nth(14));
    resident.filter_map(|bytes| bytes.parse::<u64>().ok()).sum()
}

/// The disk space that a folder takes. Stops counting beyond `limit`.
fn folder_bytes(folder: &Path, limit: u64) -> u64 {
    let (mut bytes, mut linked) = (0, HashSet::new());
    let mut pending: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = pending.pop()
        && bytes <= limit
    {
        let entries = match fs::read_dir(&folder) {
            // The only use of folders that deep is to hide files.
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => return u64::MAX,
            entries => entries.into_iter().flatten().flatten(),
        };
        for entry in entries {
            let Ok(found) = entry.metadata() else { continue };
            if found.is_dir() {
                pending.push(entry.path());
            } else if found.nlink() > 1 && !linked.insert((found.dev(), found.ino())) {
                continue;
            }
            bytes += (found.blocks() * 512).max(MIN_FILE_BYTES);
            if bytes > limit {
                break;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs};

    use super::folder_bytes;

    #[test]
    fn counts_links_once_and_finds_hidden_files() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("big"), vec![1; 100_000])?;
        fs::hard_link(folder.path().join("big"), folder.path().join("again"))?;
        let once = folder_bytes(folder.path(), u64::MAX);
        assert!((100_000..150_000).contains(&once), "{once}");
        for number in 0..10 {
            fs::write(folder.path().join(number.to_string()), "")?;
        }
        assert!(folder_bytes(folder.path(), u64::MAX) >= once + 10 * 4096);
        assert!(folder_bytes(folder.path(), 1000) > 1000);
        // Deeper than a path can name.
        let (deep, new) = (folder.path().join("deep"), folder.path().join("new"));
        fs::create_dir(&deep)?;
        for _ in 0..20 {
            fs::create_dir(&new)?;
            fs::rename(&deep, new.join("d".repeat(250)))?;
            fs::rename(&new, &deep)?;
        }
        assert_eq!(folder_bytes(&deep, u64::MAX), u64::MAX);
        Ok(())
    }
}

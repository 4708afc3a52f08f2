//! Detects protected files that are replaced or removed from outside while a program runs.
//!
//! Editors, git and `sed -i` do not change a file in place but replace it by a new one. The kernel then
//! removes the mounts on the old file in all namespaces, and the program could write to the new one. This
//! cannot be prevented beforehand, so the supervisor watches the folders and kills the program.
//!
//! Mounting the new file read-only is not enough: until then the program can open it, and such a descriptor
//! bypasses the mount. One that was opened with `O_PATH`, or waits in the queue of a socket, cannot even be
//! found.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsStr,
    io,
    mem::MaybeUninit,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rustix::fs::{
    AtFlags, CWD, StatxAttributes, StatxFlags,
    inotify::{self, CreateFlags, ReadFlags, WatchFlags},
    statx,
};

use super::{protected::Protected, raw};
use crate::sandbox::{Violation, WATCH_INTERVAL};

/// Delay before the folders are watched. Most programs have exited by then and are only checked at their
/// end, because stopping a watch takes longer than they run.
const FIRST_INTERVAL: Duration = Duration::from_millis(20);

/// Rate limit: a program may change other files in the watched folders all the time. After this many such
/// changes within [`PERIOD`], the supervisor checks again only when the period has passed.
const MAX_CHANGES: u32 = 100;
const PERIOD: Duration = Duration::from_millis(10);

/// Watches the protected files of a program.
pub(super) struct Guard {
    /// The paths that were mounted read-only when the program started.
    places: Vec<PathBuf>,
    /// The folders above the places, as far up as the program may write.
    folders: Vec<PathBuf>,
    /// The inotify watch. Absent at first, or if the user's inotify limits are exhausted; then files are
    /// checked periodically.
    changes: Option<Changes>,
    is_begun: bool,
    next: Instant,
    /// Changes of unprotected files in the current period.
    others: u32,
    period: Instant,
}

impl Guard {
    /// `None` if there is nothing to watch.
    pub(super) fn new(protected: &Protected) -> Option<Self> {
        let places: Vec<_> = protected.places.iter().map(|place| place.path.clone()).collect();
        let parents = protected.parents.iter().map(|place| place.path.clone());
        let folders = parents.chain(protected.roots.iter().cloned()).collect();
        let is_needed = !places.is_empty();
        is_needed.then(|| Self {
            places,
            folders,
            changes: None,
            is_begun: false,
            next: Instant::now() + FIRST_INTERVAL,
            others: 0,
            period: Instant::now(),
        })
    }

    /// Readable as soon as there is something to check.
    pub(super) fn changes(&self) -> Option<&OwnedFd> {
        self.changes.as_ref().filter(|_| self.others < MAX_CHANGES).map(|changes| &changes.fd)
    }

    /// The time until the next check.
    pub(super) fn remaining(&self) -> Duration {
        self.next.saturating_duration_since(Instant::now())
    }

    /// Returns a violation if a protected file is no longer protected.
    pub(super) fn check(&mut self) -> Option<Violation> {
        let is_due = Instant::now() >= self.next;
        if !is_due && self.changes().is_none() {
            return None;
        }
        if is_due && !self.is_begun {
            self.is_begun = true;
            // The program must not keep running while this process waits to be scheduled.
            raw::shorten_latency();
            self.changes = Changes::watch(&self.folders).ok();
        }
        let changed = self.changes.as_ref().map(Changes::take).unwrap_or_default();
        let is_known = |path: &PathBuf| self.places.contains(path) || self.folders.contains(path);
        let is_concerned = changed.iter().any(is_known);
        self.others += u32::from(!is_concerned && !changed.is_empty());
        let violation = if is_concerned || is_due { self.check_last() } else { None };
        let now = Instant::now();
        if is_due || now - self.period > PERIOD {
            (self.others, self.period) = (0, now);
        }
        self.next = now + if self.others < MAX_CHANGES { WATCH_INTERVAL } else { PERIOD };
        violation
    }

    /// Checks all places. Also called once when no process of the program is left.
    pub(super) fn check_last(&self) -> Option<Violation> {
        // A mount that was removed cannot come back, because the program cannot mount anything.
        let is_violated = !self.places.iter().all(|place| is_mounted(place));
        is_violated.then_some(Violation::ProtectedFile)
    }
}

/// Whether a place is still a mount point. It no longer is after it was replaced or removed.
fn is_mounted(place: &Path) -> bool {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    let found = statx(CWD, place, flags, StatxFlags::TYPE);
    found.is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// Watches the names in folders with inotify.
struct Changes {
    fd: OwnedFd,
    folders: HashMap<i32, PathBuf>,
}

impl Changes {
    fn watch(folders: &[PathBuf]) -> io::Result<Self> {
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVE
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let mut changes = Self { fd, folders: HashMap::new() };
        for folder in folders {
            let watch = inotify::add_watch(&changes.fd, folder, flags)?;
            changes.folders.insert(watch, folder.clone());
        }
        Ok(changes)
    }

    /// Takes the paths that changed since the last call. If events were lost, the folders themselves count
    /// as changed.
    fn take(&self) -> HashSet<PathBuf> {
        let mut changed = HashSet::new();
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.fd, &mut buffer);
        while let Ok(event) = reader.next() {
            if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                changed.extend(self.folders.values().cloned());
            }
            if let (Some(folder), Some(name)) = (self.folders.get(&event.wd()), event.file_name()) {
                changed.insert(folder.join(OsStr::from_bytes(name.to_bytes())));
            }
        }
        changed
    }
}

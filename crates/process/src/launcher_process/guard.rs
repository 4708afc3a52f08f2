//! Protected files that are replaced from outside while a program runs.
//!
//! Editors, git and `sed -i` do not change a file, they put another one in its place. The kernel then
//! removes the mounts on the old one in all namespaces, and nothing keeps the program from writing to the
//! new one. There is no way to hold it back beforehand, so the supervisor watches the folders, mounts the
//! new file read-only as well, and then makes sure that the program has not been faster. If that cannot
//! be ruled out, the program is killed.
//!
//! Ruled out means: the file was moved into its place in one step, nothing else happened to its name,
//! no process has it open for writing, and it has no other name. A program cannot do the first step itself,
//! because until then a mount was in the way.
//!
//! All of that is read from inotify, which merges equal events: the program could move a file of its own
//! over the new one, unseen. So the guard counts: every rename on the machine has a number, and between the
//! one that it has seen and one of its own there must be no other.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsStr,
    fs::{self, File},
    io,
    mem::MaybeUninit,
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rustix::fs::{
    AtFlags, CWD, StatxAttributes, StatxFlags, fstat,
    inotify::{self, CreateFlags, ReadFlags, WatchFlags},
    statx,
};

use super::{mounts, protected::Protected, raw};
use crate::sandbox::{Violation, WATCH_INTERVAL};

/// When the folders begin to be watched. Most programs are done by then and are only checked at their
/// end: watching takes longer to stop than they run.
const FIRST_INTERVAL: Duration = Duration::from_millis(20);

/// A program may change other files in the same folders all the time. After so many of these changes in
/// this time the supervisor does not look before it has passed.
const MAX_CHANGES: u32 = 100;
const PERIOD: Duration = Duration::from_millis(10);

/// Events of a file whose mount is in place: people write to it.
const IN_PLACE: [ReadFlags; 3] = [ReadFlags::MODIFY, ReadFlags::ATTRIB, ReadFlags::CLOSE_WRITE];

/// Watches the protected files of a program.
pub(super) struct Guard {
    /// Mounted read-only when the program started.
    places: Vec<PathBuf>,
    /// Those that were removed since. Whatever is created there may be the program's.
    missing: HashSet<PathBuf>,
    /// The folders above the places, as far up as the program may write.
    folders: Vec<PathBuf>,
    /// The program's private folder.
    private: PathBuf,
    /// Absent at first, and if the user has too many of them. Then files are checked from time to time.
    changes: Option<Changes>,
    is_begun: bool,
    next: Instant,
    /// The changes of other files since the period began.
    others: u32,
    period: Instant,
}

/// A place as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Protected,
    Missing,
    Replaced,
}

impl Guard {
    /// `None` if there is nothing to watch.
    pub(super) fn new(protected: &Protected, private: &Path) -> Option<Self> {
        let places: Vec<_> = protected.places.iter().map(|place| place.path.clone()).collect();
        let parents = protected.parents.iter().map(|place| place.path.clone());
        let folders = parents.chain(protected.roots.iter().cloned()).collect();
        let is_needed = !places.is_empty();
        is_needed.then(|| Self {
            places,
            missing: HashSet::new(),
            folders,
            private: private.to_owned(),
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

    /// Protects files that were replaced. Returns a violation if the program may have been faster.
    pub(super) fn check(&mut self) -> Option<Violation> {
        let is_due = Instant::now() >= self.next;
        if !is_due && self.changes().is_none() {
            return None;
        }
        if is_due && !self.is_begun {
            self.is_begun = true;
            // The program must not run on while this process waits for a processor.
            raw::shorten_latency();
            self.changes = Changes::watch(&self.folders).ok();
        }
        let is_violated = self.is_violated(is_due);
        let now = Instant::now();
        if is_due || now - self.period > PERIOD {
            (self.others, self.period) = (0, now);
        }
        self.next = now + if self.others < MAX_CHANGES { WATCH_INTERVAL } else { PERIOD };
        is_violated.then_some(Violation::ProtectedFile)
    }

    /// The last check, when no process of the program is left.
    pub(super) fn check_last(&mut self) -> Option<Violation> {
        self.is_violated(true).then_some(Violation::ProtectedFile)
    }

    fn is_violated(&mut self, mut is_due: bool) -> bool {
        loop {
            let happened = self.changes.as_mut().map(Changes::take).unwrap_or_default();
            if happened.is_incomplete {
                return true;
            }
            let is_known =
                |path: &PathBuf| self.places.contains(path) || self.folders.contains(path);
            let is_concerned = happened.events.keys().any(is_known);
            self.others += u32::from(!is_concerned && !happened.events.is_empty());
            if !is_concerned && !is_due {
                return false;
            }
            for place in self.places.clone() {
                let events = happened.events.get(&place).map_or(&[][..], Vec::as_slice);
                if !self.is_safe(&place, events) {
                    return true;
                }
            }
            // Adopting a file may have read more.
            is_due = false;
        }
    }

    /// Whether the program has changed nothing at this place, and cannot.
    fn is_safe(&mut self, place: &Path, events: &[Event]) -> bool {
        let state = find_state(place);
        if self.missing.contains(place) {
            return state == State::Missing;
        }
        let mut events = events.iter().skip_while(|event| IN_PLACE.contains(&event.flags));
        match (state, events.next(), events.next()) {
            (State::Protected, None, None) => true,
            // Removed from outside: the program cannot. Without an event, it may have removed another file
            // that was put there first.
            (State::Missing, Some(event), None) => {
                let removed = [ReadFlags::DELETE, ReadFlags::MOVED_FROM];
                self.missing.insert(place.to_owned());
                removed.contains(&event.flags.difference(ReadFlags::ISDIR))
            }
            (State::Replaced, Some(event), None) if event.flags == ReadFlags::MOVED_TO => {
                self.adopt(place, event.cookie).unwrap_or(false)
            }
            _ => false,
        }
    }

    /// Protects a file that was moved into its place by the rename with this number. Returns whether the
    /// program was slower.
    fn adopt(&mut self, place: &Path, cookie: u32) -> io::Result<bool> {
        // In a folder that was replaced the program may have a descriptor that bypasses mounts.
        let mut above = self.folders.iter().filter(|folder| place.starts_with(folder));
        if above.any(|folder| find_state(folder) != State::Protected) {
            return Ok(false);
        }
        let file = mounts::protect(place)?;
        let found = fstat(&file)?;
        let is_alone = found.st_mode & libc::S_IFMT == libc::S_IFREG && found.st_nlink == 1;
        if !is_alone {
            return Ok(false);
        }
        let readable = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
        raw::take_read_lease(readable.as_fd())?;
        let Some(changes) = &mut self.changes else { return Ok(false) };
        let own_cookie = changes.rename_in(&self.private)?;
        // A writer would have closed it before the lease was granted, so that event would be there by now.
        Ok(own_cookie == Some(cookie.wrapping_add(1))
            && !changes.pending.events.contains_key(place))
    }
}

/// Every place is a mount of its own, unless it was replaced.
fn find_state(place: &Path) -> State {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    match statx(CWD, place, flags, StatxFlags::TYPE) {
        Ok(found) if found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT) => State::Protected,
        Ok(_) => State::Replaced,
        Err(_) => State::Missing,
    }
}

/// Changes in the watched folders.
struct Changes {
    fd: OwnedFd,
    folders: HashMap<i32, PathBuf>,
    pending: Happened,
}

/// Events of files, by path.
#[derive(Default)]
struct Happened {
    events: HashMap<PathBuf, Vec<Event>>,
    /// Whether events were lost.
    is_incomplete: bool,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    flags: ReadFlags,
    /// The number of a rename.
    cookie: u32,
}

impl Changes {
    fn watch(folders: &[PathBuf]) -> io::Result<Self> {
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVE
            | WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::CLOSE_WRITE;
        let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let mut changes = Self { fd, folders: HashMap::new(), pending: Happened::default() };
        for folder in folders {
            changes.add(folder, flags)?;
        }
        Ok(changes)
    }

    fn add(&mut self, folder: &Path, flags: WatchFlags) -> io::Result<i32> {
        let flags = flags | WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW;
        let watch = inotify::add_watch(&self.fd, folder, flags)?;
        self.folders.insert(watch, folder.to_owned());
        Ok(watch)
    }

    /// Everything that was not taken yet.
    fn take(&mut self) -> Happened {
        self.read();
        std::mem::take(&mut self.pending)
    }

    fn read(&mut self) {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.fd, &mut buffer);
        while let Ok(event) = reader.next() {
            self.pending.is_incomplete |= event.events().contains(ReadFlags::QUEUE_OVERFLOW);
            let (Some(folder), Some(name)) = (self.folders.get(&event.wd()), event.file_name())
            else {
                continue;
            };
            let path = folder.join(OsStr::from_bytes(name.to_bytes()));
            let event = Event { flags: event.events(), cookie: event.cookie() };
            self.pending.events.entry(path).or_default().push(event);
        }
    }

    /// Renames a file in a folder. Returns the number of that rename.
    fn rename_in(&mut self, folder: &Path) -> io::Result<Option<u32>> {
        let names = [".toolcrib-old", ".toolcrib-new"].map(|name| folder.join(name));
        let [old, new] = &names;
        File::create_new(old)?;
        let watch = self.add(folder, WatchFlags::MOVED_TO)?;
        fs::rename(old, new)?;
        self.read();
        inotify::remove_watch(&self.fd, watch)?;
        let _ = fs::remove_file(new);
        let events = self.pending.events.remove(new).unwrap_or_default();
        Ok(events.last().map(|event| event.cookie))
    }
}

//! A control group of its own for each program, where a part of cgroup v2 is delegated to this user:
//! the kernel then limits memory and processes of all its processes together.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use rustix::process::{getpid, getppid};

use super::{
    is_success,
    raw::{self, Cloned},
};
use crate::{
    process_id::ProcessId,
    sandbox::{Sandbox, Violation},
};

const ROOT: &str = "/sys/fs/cgroup";
/// The start of the names of all groups that are created here.
const PREFIX: &str = "toolcrib-";

/// A group in which those of programs are created.
pub(super) struct Cgroups {
    folder: PathBuf,
    count: u64,
    /// The groups that were not removed yet.
    live: Vec<PathBuf>,
}

impl Cgroups {
    /// Found by trying; `None` if no group with the controllers for memory and processes is delegated.
    pub(super) fn find() -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
        let mut found = Self::find_at(&Path::new(ROOT).join(own))?;
        found.remove_abandoned();
        let group = found.create(u64::MAX, 1).ok()?;
        // A child enters the group, because one that contains the launcher could not be removed.
        let is_usable = match raw::clone_process(0) {
            Ok(Cloned::Child) => raw::exit(i32::from(group.enter().is_err())),
            Ok(Cloned::Parent(pid)) => is_success(pid),
            Err(_) => false,
        };
        found.remove_empty();
        is_usable.then_some(found)
    }

    fn find_at(own: &Path) -> Option<Self> {
        let new = |folder: &Path| Self { folder: folder.to_owned(), count: 0, live: Vec::new() };
        // Below the own group only if no process is in it but those of this server: a group that
        // limits others may have no processes itself. So they move to a group below it.
        if is_limiting(own) || limit_below(own).is_ok() {
            return Some(new(own));
        }
        // Beside the own group, as in the session of a user whose processes systemd has put there.
        own.parent().filter(|parent| is_limiting(parent)).map(new)
    }

    /// A new group for a program with these limits. Groups of programs that ended are removed.
    pub(super) fn create_for(&mut self, sandbox: &Sandbox) -> io::Result<Group> {
        self.remove_empty();
        self.create(sandbox.memory_bytes, sandbox.processes)
    }

    fn create(&mut self, memory_bytes: u64, processes: u64) -> io::Result<Group> {
        self.count += 1;
        let name = format!("{PREFIX}{}-{}", getpid().as_raw_nonzero(), self.count);
        let folder = self.folder.join(name);
        fs::create_dir(&folder)?;
        self.live.push(folder.clone());
        fs::write(folder.join("memory.max"), to_limit(memory_bytes))?;
        fs::write(folder.join("pids.max"), to_limit(processes))?;
        // Swap would only delay the end. Older kernels have neither file.
        let _ = fs::write(folder.join("memory.swap.max"), "0");
        let _ = fs::write(folder.join("memory.oom.group"), "1");
        // Opened here, where the file system is not read-only yet.
        let members = OpenOptions::new().write(true).open(folder.join("cgroup.procs"))?;
        Ok(Group { folder, members })
    }

    /// Removes the groups that have no processes any more.
    pub(super) fn remove_empty(&mut self) {
        // The kernel refuses to remove a group that has processes, so trying is the test.
        self.live.retain(|folder| fs::remove_dir(folder).is_err());
    }

    /// Removes the groups of launcher processes that were killed.
    fn remove_abandoned(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
            let owner = owner.and_then(|pid| pid.parse().ok());
            if owner.is_some_and(|pid| ProcessId::from_pid(pid).is_none()) {
                // The kernel keeps a group whose processes still run.
                let _ = fs::remove_dir(entry.path());
            }
        }
    }
}

/// The group of one program.
pub(super) struct Group {
    folder: PathBuf,
    members: File,
}

impl Group {
    /// Puts the calling process into the group, and so everything that it starts.
    pub(super) fn enter(&self) -> io::Result<()> {
        // Zero means the writing process, whose id differs between pid namespaces.
        (&self.members).write_all(b"0")
    }

    /// The limit that the kernel has enforced on the group, if any.
    pub(super) fn find_excess(&self) -> Option<Violation> {
        let has_event = |file: &str, event: &str| {
            let text = fs::read_to_string(self.folder.join(file)).unwrap_or_default();
            let count = text.lines().find_map(|line| line.strip_prefix(event)?.trim().parse().ok());
            count.is_some_and(|count: u64| count > 0)
        };
        if has_event("memory.events", "oom_kill ") {
            return Some(Violation::Memory);
        }
        has_event("pids.events", "max ").then_some(Violation::Processes)
    }
}

/// Whether groups below this one can have limits of memory and processes.
fn is_limiting(folder: &Path) -> bool {
    has_controllers(&folder.join("cgroup.subtree_control"))
}

fn has_controllers(file: &Path) -> bool {
    let found = fs::read_to_string(file).unwrap_or_default();
    let has = |name| found.split_whitespace().any(|controller| controller == name);
    has("memory") && has("pids")
}

/// Moves this process and its server to a new group below their own, so that others there can have
/// limits.
fn limit_below(own: &Path) -> io::Result<()> {
    let refuse = || io::Error::other("the group is not for this server alone");
    let ours = [Some(getpid()), getppid()].map(|pid| pid.map(|pid| pid.as_raw_nonzero().get()));
    let members = fs::read_to_string(own.join("cgroup.procs"))?;
    let members: Vec<i32> = members.lines().filter_map(|pid| pid.parse().ok()).collect();
    let is_ours = |pid: &i32| ours.contains(&Some(*pid));
    if !has_controllers(&own.join("cgroup.controllers")) || !members.iter().all(is_ours) {
        return Err(refuse());
    }
    // A name without the prefix and a number is never taken for an abandoned group.
    let inner = own.join("toolcrib");
    fs::create_dir(&inner)?;
    let move_to = |group: &Path| {
        members.iter().try_for_each(|pid| fs::write(group.join("cgroup.procs"), pid.to_string()))
    };
    // Controllers cannot be enabled below a group that has processes itself (cgroups v2, "no
    // internal process constraint").
    let limited = move_to(&inner)
        .and_then(|()| fs::write(own.join("cgroup.subtree_control"), "+memory +pids"));
    if limited.is_err() {
        let _ = move_to(own);
        let _ = fs::remove_dir(&inner);
    }
    limited
}

fn to_limit(number: u64) -> String {
    // The kernel rejects numbers beyond its own range.
    if number > i64::MAX.cast_unsigned() { "max".to_owned() } else { number.to_string() }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Cgroups;
    use crate::sandbox::Violation;

    /// A tree of files as the kernel has it: a slice that limits its groups, with a scope in it.
    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        let scope = root.path().join("scope");
        fs::create_dir(&scope).expect("a folder");
        for (file, text) in [
            ("cgroup.subtree_control", "cpu memory pids\n"),
            ("scope/cgroup.controllers", "cpu memory pids\n"),
            ("scope/cgroup.subtree_control", "\n"),
            ("scope/cgroup.procs", "1\n"),
        ] {
            fs::write(root.path().join(file), text).expect("a file");
        }
        root
    }

    #[test]
    fn uses_the_own_group_alone_or_one_beside_it() {
        let root = tree();
        let scope = root.path().join("scope");
        let beside = Cgroups::find_at(&scope).expect("the slice");
        assert_eq!(beside.folder, root.path(), "another process is in the scope");
        fs::create_dir(scope.join("toolcrib")).expect("a folder");
        fs::remove_dir(scope.join("toolcrib")).expect("a folder");
        fs::write(scope.join("cgroup.procs"), std::process::id().to_string()).expect("a file");
        let own = Cgroups::find_at(&scope).expect("the scope");
        assert_eq!(own.folder, scope);
        let moved = fs::read_to_string(scope.join("toolcrib/cgroup.procs")).expect("a file");
        assert_eq!(moved, std::process::id().to_string());
        let enabled = fs::read_to_string(scope.join("cgroup.subtree_control")).expect("a file");
        assert_eq!(enabled, "+memory +pids");
    }

    #[test]
    fn needs_both_controllers() {
        let root = tree();
        fs::write(root.path().join("cgroup.subtree_control"), "cpu pids\n").expect("a file");
        assert!(Cgroups::find_at(&root.path().join("scope")).is_none());
    }

    #[test]
    fn writes_limits_and_reads_what_the_kernel_enforced() {
        let root = tree();
        let mut groups = Cgroups::find_at(&root.path().join("scope")).expect("the slice");
        // The kernel would have created the file that is opened.
        assert!(groups.create(1 << 30, u64::MAX).is_err());
        let folder = groups.live[0].clone();
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert_eq!((read("memory.max").as_str(), read("pids.max").as_str()), ("1073741824", "max"));
        let members = fs::File::create(folder.join("cgroup.procs")).expect("a file");
        let group = super::Group { folder: folder.clone(), members };
        group.enter().expect("a file");
        assert_eq!((read("cgroup.procs").as_str(), group.find_excess()), ("0", None));
        fs::write(folder.join("pids.events"), "max 3\n").expect("a file");
        assert_eq!(group.find_excess(), Some(Violation::Processes));
        fs::write(folder.join("memory.events"), "low 0\noom 1\noom_kill 1\n").expect("a file");
        assert_eq!(group.find_excess(), Some(Violation::Memory));
    }
}

//! The files that a program in a mount namespace can name: the machine read-only, its writable
//! folders, and a `/tmp`, `/dev/shm` and `/proc` of its own.
//!
//! Landlock decides what can be read and written. Mounts add what Landlock cannot: metadata of files
//! outside the writable folders cannot be changed, protected files inside of them neither, and
//! temporary files, shared memory and processes of others have no name.

use std::{
    ffi::{CStr, CString, OsStr},
    fs, io,
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::CWD,
    mount::{MountFlags, MoveMountFlags, OpenTreeFlags, mount, move_mount, open_tree},
};

use super::{
    Namespaces,
    guard::Guard,
    protected::{self, Protected},
    raw,
    supervisor::StartFailure,
};
use crate::{
    opened_path::open_without_links,
    protocol::StartRequest,
    sandbox::{GrantedDescriptors, Place},
};

/// Each private place holds at most this part of the memory that the program may allocate, and at most
/// what it may keep in private folders.
const TMPFS_SHARE: u64 = 4;

/// A part of the file system that is mounted again at its own path.
struct Tree {
    path: PathBuf,
    mount: OwnedFd,
}

/// Prepares the namespaces of a program. The calling process is the first in all of them; `own_id` is
/// its id outside.
///
/// A Landlock rule for a folder covers whatever is mounted below it. So a private place that contains
/// a mount which the program may only see or read gets no rule.
pub(super) fn isolate(
    request: &StartRequest,
    granted: &GrantedDescriptors,
    namespaces: Namespaces,
    own_id: u32,
) -> Result<Isolated, StartFailure> {
    map_user(namespaces).map_err(StartFailure::of("the user could not be mapped"))?;
    continue_process_ids(own_id);
    let sandbox = &request.sandbox;
    // A path that is missing or has become a link is not mounted, and gets no Landlock rule either.
    let open = |path: &Path| granted.open(path).ok();
    let written = sandbox.write.iter().chain([&request.folder]);
    let writable: Vec<_> = written.filter_map(|path| open(path)).collect();
    let mut private = sandbox.private_places();
    let is_in = |place: &Place, others: &[Place]| {
        others.iter().any(|other| place.path.starts_with(&other.path))
    };
    let is_hidden = |place: &Place| {
        private.iter().any(|hidden| place.path.starts_with(hidden)) && !is_in(place, &writable)
    };
    let readable: Vec<_> = needed_paths(request).filter_map(open).filter(is_hidden).collect();
    let protected = protected::open(&sandbox.protected, &writable);
    let places = Places { writable: &writable, readable: &readable, protected: &protected };
    let tmpfs_bytes = (sandbox.memory_bytes / TMPFS_SHARE).min(sandbox.temp_bytes);
    mount_all(&places, &private, tmpfs_bytes)?;
    private.retain(|place| !readable.iter().any(|below| below.path.starts_with(place)));
    Ok(Isolated { own_places: private, guard: Guard::new(&protected) })
}

/// The mounts made by [`isolate`].
pub(super) struct Isolated {
    /// The private places to which the program has full access.
    pub(super) own_places: Vec<&'static str>,
    pub(super) guard: Option<Guard>,
}

/// Tries the steps of [`isolate`] with an empty request.
pub(super) fn try_isolation(namespaces: Namespaces) -> Result<(), StartFailure> {
    const SOME_BYTES: u64 = 1 << 20;
    map_user(namespaces).map_err(StartFailure::of("the user could not be mapped"))?;
    let usr: Vec<_> = GrantedDescriptors::default().open(Path::new("/usr")).into_iter().collect();
    let places = Places { writable: &usr, readable: &[], protected: &Protected::default() };
    mount_all(&places, &["/tmp"], SOME_BYTES)
}

/// The places that are remounted.
struct Places<'a> {
    writable: &'a [Place],
    /// Visible below a private place.
    readable: &'a [Place],
    protected: &'a Protected,
}

/// A copy of the mounts at a place that is not attached anywhere yet.
fn clone_tree(place: &Place, is_read_only: bool) -> io::Result<Tree> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    let mount = open_tree(&place.fd, c"", flags)?;
    if is_read_only {
        raw::restrict_mount(mount.as_fd(), c"", true)?;
    }
    Ok(Tree { path: place.path.clone(), mount })
}

/// The paths that the program needs even below a private place: those it may read, its working
/// directory and itself. Being visible does not make a path readable; that is up to Landlock.
fn needed_paths(request: &StartRequest) -> impl Iterator<Item = &Path> {
    let program = Path::new(OsStr::from_bytes(request.program.as_bytes()));
    let needed = request.sandbox.read.iter().map(PathBuf::as_path);
    let needed = needed.chain([request.cwd.as_path()]).chain(program.parent());
    // Saves two system calls for each folder of programs.
    needed.filter(|path| !path.starts_with("/usr"))
}

fn mount_all(places: &Places<'_>, private: &[&str], tmpfs_bytes: u64) -> Result<(), StartFailure> {
    // Cloned first, because clones keep the flags that their mounts had.
    let mut trees =
        clone_all(places).map_err(StartFailure::of("a writable folder could not be mounted"))?;
    let is_root_writable = places.writable.iter().any(|place| place.path == Path::new("/"));
    // This also makes the mounts private. Without a user namespace, as for root, mounts made below
    // would otherwise propagate to the machine.
    raw::restrict_mount(CWD, c"/", !is_root_writable)
        .map_err(StartFailure::of("the file system could not be made read-only"))?;
    // Not every container has a /dev/shm.
    for place in private.iter().filter(|place| Path::new(place).is_dir()) {
        mount_tmpfs(place, tmpfs_bytes)
            .map_err(StartFailure::of("a private /tmp could not be mounted"))?;
    }
    // In a user namespace the kernel refuses this where parts of the machine's /proc are covered,
    // as in containers of Docker. The trial at startup fails there, and the level becomes
    // `landlock`.
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None::<&CStr>)
        .map_err(StartFailure::of("a private /proc could not be mounted"))?;
    // Outer folders first, so that inner ones are mounted on top.
    trees.sort_by_key(|tree| tree.path.components().count());
    for tree in &trees {
        attach(tree).map_err(StartFailure::of("a folder could not be mounted"))?;
    }
    Ok(())
}

fn clone_all(places: &Places<'_>) -> io::Result<Vec<Tree>> {
    let mut trees = clone_outermost(places.writable, places.readable)?;
    let Protected { places: protected, parents, .. } = places.protected;
    for (places, is_read_only) in [(parents, false), (protected, true)] {
        for place in places {
            trees.push(clone_tree(place, is_read_only)?);
        }
    }
    // A folder that was granted inside a protected one stays writable.
    let is_in_protected = |place: &&Place| {
        let mut around = protected.iter();
        around.any(|outer| place.path.starts_with(&outer.path) && place.path != outer.path)
    };
    for place in places.writable.iter().filter(is_in_protected) {
        trees.push(clone_tree(place, false)?);
    }
    Ok(trees)
}

/// Clones the places. One inside another of the same kind is left out: moving a file from one mount to
/// the other would fail.
fn clone_outermost(writable: &[Place], readable: &[Place]) -> io::Result<Vec<Tree>> {
    let mut trees: Vec<Tree> = Vec::new();
    for (places, is_read_only) in [(writable, false), (readable, true)] {
        for place in places.iter().filter(|place| place.path != Path::new("/")) {
            let is_inner = places
                .iter()
                .any(|other| place.path != other.path && place.path.starts_with(&other.path));
            if !is_inner && !trees.iter().any(|tree| tree.path == place.path) {
                trees.push(clone_tree(place, is_read_only)?);
            }
        }
    }
    Ok(trees)
}

fn mount_tmpfs(place: &str, bytes: u64) -> io::Result<()> {
    let options = CString::new(format!("mode=1777,size={bytes}"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount("tmpfs", place, "tmpfs", flags, Some(options.as_c_str()))?)
}

/// Mounts a tree at its path, which has to be created if a private place hides it.
fn attach(tree: &Tree) -> io::Result<()> {
    // Opened without following links: another program may replace a part of the path meanwhile.
    let target = match open_without_links(&tree.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create_target(tree)?;
            open_without_links(&tree.path)
        }
        opened => opened,
    };
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(move_mount(&tree.mount, c"", target?, c"", flags)?)
}

fn create_target(tree: &Tree) -> io::Result<()> {
    let is_folder = fs::metadata(format!("/proc/self/fd/{}", tree.mount.as_raw_fd()))?.is_dir();
    if is_folder {
        return fs::create_dir_all(&tree.path);
    }
    tree.path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::File::create(&tree.path).map(drop)
}

/// Maps the user and the group to themselves. Does nothing without a user namespace.
fn map_user(namespaces: Namespaces) -> io::Result<()> {
    if !namespaces.has_user() {
        return Ok(());
    }
    // An ordinary user may write `gid_map` only after this, and may map only their own ids.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{0} {0} 1", namespaces.uid))?;
    fs::write("/proc/self/gid_map", format!("{0} {0} 1", namespaces.gid))
}

/// Makes process ids in the new namespace continue from those of the machine. Otherwise every program
/// would have the same small id, and files named after it would collide between programs.
fn continue_process_ids(own_id: u32) {
    if own_id > 1 {
        // Not every kernel has this file. Without it, ids are small.
        let _ = fs::write("/proc/sys/kernel/ns_last_pid", (own_id - 1).to_string());
    }
}

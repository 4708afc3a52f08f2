//! Files and folders inside writable folders that a program must not change.
//!
//! Each of them is mounted read-only on itself. A mount point cannot be renamed or removed in its
//! namespace, but the folders above it can, and a folder with other files could be put in their place. So
//! the folders between a writable folder and a protected path become mount points as well. Nothing can
//! be mounted on a path that does not exist: a program can create those. If a file is replaced from outside
//! the namespace, its mount is gone; see [`super::guard`].

use std::path::{Path, PathBuf};

use crate::sandbox::{GrantedDescriptors, Place};

/// The mounts that protect files and folders.
#[derive(Default)]
pub(super) struct Protected {
    /// Mounted read-only, none inside another.
    pub(super) places: Vec<Place>,
    /// The folders above them. They stay writable.
    pub(super) parents: Vec<Place>,
    /// The writable folders that contain protected paths.
    pub(super) roots: Vec<PathBuf>,
}

/// Opens the protected paths that exist in writable folders.
pub(super) fn open(paths: &[PathBuf], writable: &[Place]) -> Protected {
    let opener = GrantedDescriptors::default();
    let mut found = Protected::default();
    for path in paths {
        // The outermost: folders inside of it are no mount points of their own.
        let around = writable.iter().map(|place| place.path.as_path());
        let around = around.filter(|folder| path.starts_with(folder));
        let Some(outermost) = around.min_by_key(|folder| folder.as_os_str().len()) else {
            continue;
        };
        if found.places.iter().any(|outer| path.starts_with(&outer.path)) {
            continue;
        }
        let Ok(place) = opener.open(path) else {
            continue;
        };
        for parent in folders_between(outermost, path) {
            if !found.parents.iter().any(|known| known.path == parent) {
                found.parents.extend(opener.open(parent));
            }
        }
        if !found.roots.iter().any(|known| known == outermost) {
            found.roots.push(outermost.to_owned());
        }
        found.places.push(place);
    }
    found
}

/// The folders above `path` that are inside `folder`.
fn folders_between<'p>(folder: &'p Path, path: &'p Path) -> impl Iterator<Item = &'p Path> {
    let is_inside = move |parent: &&Path| parent.starts_with(folder) && *parent != folder;
    path.ancestors().skip(1).take_while(is_inside)
}

//! The files below `/etc` and `/opt` that every user may read.
//!
//! A server that runs as root starts its programs as root: file permissions do not keep them from
//! password hashes and host keys. Another user in their place could not write to the crib, and without
//! capabilities they would still own the files. So for root, Landlock does what permissions do for
//! others. It cannot take access away below a folder, so a folder with private files gets no rule that
//! reads; each public entry in it gets one.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use landlock::PathFd;
use rustix::fs::fstat;

/// The folders in which files of others are hidden from root, and how deep they are searched. Deeper
/// folders count as public.
const SEARCHED: [(&str, usize); 2] = [("/etc", 16), ("/opt", 3)];

const READABLE_BY_ALL: u32 = 0o004;
const ENTERED_BY_ALL: u32 = 0o001;

/// Whether files in this path are granted one by one to programs of root.
pub(super) fn is_searched(path: &Path) -> bool {
    SEARCHED.iter().any(|(folder, _)| path.starts_with(folder))
}

/// The files that all users may read. Empty unless the server runs as root.
#[derive(Default)]
pub(super) struct PublicFiles {
    /// Files, and folders in which everything is public.
    pub(super) readable: Vec<PathFd>,
    /// Folders with private entries, which may be listed, and when they were changed last.
    pub(super) listed: Vec<(PathFd, Option<(i64, i64)>)>,
}

impl PublicFiles {
    pub(super) fn find() -> Self {
        let mut found = Self::default();
        for (folder, depth) in SEARCHED {
            found.add(Path::new(folder), depth);
        }
        found
    }

    /// Searches again if an entry was added, removed or replaced, and returns whether it did. Package
    /// managers and `passwd` replace files, and a Landlock rule refers to the file, not to its name.
    pub(super) fn refresh(&mut self) -> bool {
        let is_changed = self.listed.iter().any(|(folder, changed)| changed_at(folder) != *changed);
        if is_changed {
            *self = Self::find();
        }
        is_changed
    }

    fn add(&mut self, folder: &Path, depth: usize) {
        if self.search(folder, depth) {
            self.readable.extend(PathFd::new(folder));
        }
    }

    /// Returns whether everything in a folder is public. Otherwise adds what is.
    fn search(&mut self, folder: &Path, depth: usize) -> bool {
        // Opened first, so that a later change is noticed.
        let opened = PathFd::new(folder).ok().map(|opened| (changed_at(&opened), opened));
        let (mut public, mut is_all_public) = (Vec::new(), true);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            // The target of a symbolic link decides, wherever that is.
            let Ok(found) = entry.metadata() else { continue };
            let is_public = match found.file_type() {
                kind if kind.is_symlink() => continue,
                kind if kind.is_dir() => {
                    found.mode() & ENTERED_BY_ALL != 0
                        && (depth == 0 || self.search(&entry.path(), depth - 1))
                }
                _ => found.mode() & READABLE_BY_ALL != 0,
            };
            is_all_public &= is_public;
            if is_public {
                public.push(entry.path());
            }
        }
        if !is_all_public {
            self.listed.extend(opened.map(|(changed, opened)| (opened, changed)));
            self.readable.extend(public.into_iter().filter_map(|path| PathFd::new(path).ok()));
        }
        is_all_public
    }
}

fn changed_at(folder: &PathFd) -> Option<(i64, i64)> {
    let found = fstat(folder).ok()?;
    Some((found.st_mtime, found.st_mtime_nsec.cast_signed()))
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::{fd::AsRawFd, unix::fs::PermissionsExt},
        path::Path,
    };

    use landlock::PathFd;
    use rustix::fd::AsFd;

    use super::{PublicFiles, changed_at};

    fn names<'a>(root: &Path, opened: impl Iterator<Item = &'a PathFd>) -> Vec<String> {
        let path = |fd: &PathFd| {
            let path = fs::read_link(format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd()));
            let path = path.expect("a descriptor");
            path.strip_prefix(root).expect("a path in the root").display().to_string()
        };
        let mut names: Vec<_> = opened.map(path).collect();
        names.sort();
        names
    }

    #[test]
    fn leaves_out_what_others_may_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder");
        for (path, mode) in [
            ("passwd", 0o644),
            ("shadow", 0o640),
            ("ssh/config", 0o644),
            ("ssh/key", 0o600),
            ("fonts/a/b", 0o644),
            ("private/readable", 0o644),
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, "").expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a file");
        }
        let private = fs::Permissions::from_mode(0o750);
        fs::set_permissions(root.join("private"), private).expect("a folder");
        let mut found = PublicFiles::default();
        found.add(&root, 16);
        assert_eq!(names(&root, found.readable.iter()), ["fonts", "passwd", "ssh/config"]);
        assert_eq!(names(&root, found.listed.iter().map(|(folder, _)| folder)), ["", "ssh"]);
        let is_changed = || found.listed.iter().any(|(folder, at)| changed_at(folder) != *at);
        assert!(!is_changed());
        fs::rename(root.join("passwd"), root.join("passwd-")).expect("a file");
        assert!(is_changed());
    }
}

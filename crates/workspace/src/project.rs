//! Resolves a path to its project, so that all paths to one project share their flags.
//!
//! Links are followed, and a linked git worktree resolves to the main working tree. Git is not run:
//! its files are read directly, because a call resolves paths that a client chose. A path that does
//! not exist or is not accessible is its own project, and the result reveals nothing else.

use std::{
    fs::{self, File},
    io::Read,
    path::{Component, Path, PathBuf},
};

/// The maximum size of a file with a path, in bytes.
const MAX_POINTER: u64 = 8 << 10;

/// The root of the project that a path belongs to.
pub fn resolve_project(path: &Path) -> PathBuf {
    let path = resolve_links(path);
    resolve_worktree(&path).unwrap_or(path)
}

/// Resolves links, `.` and `..` in the existing part of a path, and `.` and `..` in the rest.
fn resolve_links(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // The nearest existing ancestor; the rest may not exist yet, or not be accessible.
    for ancestor in absolute.ancestors() {
        if let (Ok(found), Ok(rest)) = (fs::canonicalize(ancestor), absolute.strip_prefix(ancestor))
        {
            return join_lexically(found, rest);
        }
    }
    join_lexically(PathBuf::new(), &absolute)
}

/// Appends `rest`, resolving `..` without the file system.
fn join_lexically(mut path: PathBuf, rest: &Path) -> PathBuf {
    for component in rest.components() {
        match component {
            Component::ParentDir => _ = path.pop(),
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

/// The same path in the main working tree, if it is in a linked worktree. For a bare repository,
/// which has no working tree, the path in the repository's folder.
fn resolve_worktree(path: &Path) -> Option<PathBuf> {
    let tree = path.ancestors().find(|folder| fs::symlink_metadata(folder.join(".git")).is_ok())?;
    let link = tree.join(".git");
    let text = read_pointer(&link)?;
    let own = fs::canonicalize(tree.join(text.strip_prefix("gitdir:")?.trim())).ok()?;
    let common = fs::canonicalize(own.join(read_pointer(&own.join("commondir"))?)).ok()?;
    // The repository must list the worktree: otherwise any folder could claim to be part of any
    // project and read its flags.
    let known = fs::canonicalize(own.join(read_pointer(&own.join("gitdir"))?)).ok()?;
    if known != link || !own.starts_with(&common) {
        return None;
    }
    // A bare repository has no `.git` folder: it is one.
    let main = if common.file_name()? == ".git" { common.parent()? } else { &common };
    Some(main.join(path.strip_prefix(tree).ok()?))
}

/// Reads a path from a small regular file. Links and devices are rejected: a cloned folder may
/// contain anything.
fn read_pointer(path: &Path) -> Option<String> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(MAX_POINTER).read_to_string(&mut text).ok()?;
    Some(text.trim_end_matches(['\n', '\r']).to_owned())
}

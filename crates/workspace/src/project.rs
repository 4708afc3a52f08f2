//! Which project a path belongs to: the same one, by whatever way the path leads there.
//!
//! Links are followed, and what lies in a linked worktree of git belongs to the main working tree.
//! Nothing is run, little is read, and nothing of what is found is told but the answer: a path that
//! is not there, or may not be looked at, is a project as well.

use std::{
    fs::{self, File},
    io::Read,
    path::{Component, Path, PathBuf},
};

/// The most that is read of a file that should hold one path.
const LONGEST_POINTER: u64 = 8 << 10;

/// The project that a path belongs to.
pub fn resolve_project(path: &Path) -> PathBuf {
    let path = canonical(path);
    main_tree(&path).unwrap_or(path)
}

/// The path without links, `.` and `..`, as far as it is there.
fn canonical(path: &Path) -> PathBuf {
    let plain = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for ancestor in plain.ancestors() {
        if let (Ok(found), Ok(rest)) = (fs::canonicalize(ancestor), plain.strip_prefix(ancestor)) {
            return joined(found, rest);
        }
    }
    joined(PathBuf::new(), &plain)
}

/// A path and what follows it, taken as text.
fn joined(mut path: PathBuf, rest: &Path) -> PathBuf {
    for component in rest.components() {
        match component {
            Component::ParentDir => _ = path.pop(),
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

/// The same place in the main working tree, if the path lies in a linked one. Of a repository
/// without a working tree, its folder stands for it.
fn main_tree(path: &Path) -> Option<PathBuf> {
    let tree = path.ancestors().find(|folder| fs::symlink_metadata(folder.join(".git")).is_ok())?;
    let link = tree.join(".git");
    let text = pointer(&link)?;
    let own = fs::canonicalize(tree.join(text.strip_prefix("gitdir:")?.trim())).ok()?;
    let common = fs::canonicalize(own.join(pointer(&own.join("commondir"))?)).ok()?;
    // The repository must know the tree: else any folder could claim to be part of any project.
    let known = fs::canonicalize(own.join(pointer(&own.join("gitdir"))?)).ok()?;
    if known != link || !own.starts_with(&common) {
        return None;
    }
    let main = if common.file_name()? == ".git" { common.parent()? } else { &common };
    Some(main.join(path.strip_prefix(tree).ok()?))
}

/// The path that a small regular file holds.
fn pointer(path: &Path) -> Option<String> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(LONGEST_POINTER).read_to_string(&mut text).ok()?;
    Some(text.trim_end_matches(['\n', '\r']).to_owned())
}

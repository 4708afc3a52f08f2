//! What the process of a call may access: roots, crib and what the operator added, or exactly the
//! paths that the call names.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use catalog::Annotations;
use process::{Sandbox, sandbox_support};

use super::{program, reach::Reach};
use crate::Settings;

/// The sandbox of a program. Roots are writable only for tools that are not declared read-only: a
/// tool that is served as read-only is read-only to the kernel, too.
pub(super) fn build(settings: &Settings, annotations: &Annotations, program: &Path) -> Sandbox {
    // People read these lists: their own folders come first.
    let (mut read, mut write) = (Vec::new(), Vec::new());
    let roots = if annotations.is_read_only() { &mut read } else { &mut write };
    roots.extend(settings.roots.iter().cloned());
    if !settings.roots.contains(&settings.crib) {
        read.push(settings.crib.clone());
    }
    read.extend(settings.read.iter().cloned().chain(program::folders(settings)));
    write.extend(settings.write.iter().cloned());
    // The program may be a link into a folder of its own.
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    read.extend(real.parent().map(PathBuf::from));
    Sandbox {
        enforced: is_enforced(settings),
        network: annotations.network == Some(true),
        read: distinct(read),
        write: distinct(write),
        memory_bytes: settings.memory_bytes,
        caller_paths: Vec::new(),
        is_unrestricted: false,
    }
}

/// Whether file access is restricted here: the operator wants it and the kernel can do it.
pub(super) fn is_enforced(settings: &Settings) -> bool {
    settings.confine && sandbox_support().files
}

/// Replaces the crib and the roots by the paths that this call names. A program inside of them stays
/// readable, its neighbours do not.
pub(super) fn narrow(
    sandbox: &mut Sandbox,
    settings: &Settings,
    annotations: &Annotations,
    program: &Path,
    reach: Reach,
) {
    let is_own = |path: &Path| {
        path.starts_with(&settings.crib) || settings.roots.iter().any(|root| path.starts_with(root))
    };
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    sandbox.caller_paths = reach.read.iter().chain(&reach.write).cloned().collect();
    let (mut read, mut write) = (reach.read, Vec::new());
    // A tool that is served as read-only is read-only to the kernel, whatever a parameter declares.
    let written = if annotations.is_read_only() { &mut read } else { &mut write };
    written.extend(reach.write);
    read.extend(settings.read.iter().cloned().chain(program::folders(settings)));
    read.extend(if is_own(&real) { Some(real) } else { real.parent().map(PathBuf::from) });
    write.extend(settings.write.iter().cloned());
    (sandbox.read, sandbox.write) = (distinct(read), distinct(write));
}

/// Removes duplicates and keeps the first occurrence.
pub(super) fn distinct(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    paths
}

//! Applies fixes to definitions that do not change their meaning.

use std::{io, path::PathBuf};

use atomic_file::Access;
use catalog::SourceId;

use crate::{Crib, Files, discover};

/// A definition that was fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixReport {
    /// The fixed file.
    pub source: SourceId,
    /// The number of changed lines.
    pub lines: usize,
}

/// A definition that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`: {source}", path.display())]
pub struct FixError {
    /// The path of the file.
    pub path: PathBuf,
    /// The error of the operating system.
    pub source: io::Error,
}

/// Fixes the specifications of a crib.
pub fn fix_crib(crib: &Crib) -> Result<Vec<FixReport>, FixError> {
    fix(&crib.files(), &discover::find_candidates(&crib.folder).definitions)
}

/// Fixes files, and the definitions in folders.
pub fn fix_paths(paths: &[PathBuf]) -> Result<Vec<FixReport>, FixError> {
    let expand = |path: &PathBuf| {
        if path.is_dir() { discover::find_files(path) } else { vec![path.clone()] }
    };
    let found: Vec<PathBuf> = paths.iter().flat_map(expand).collect();
    fix(&Files::new(""), &found)
}

fn fix(files: &Files, paths: &[PathBuf]) -> Result<Vec<FixReport>, FixError> {
    let mut fixed = Vec::new();
    for path in paths {
        // An unreadable file is reported by the check that follows.
        let Some(text) = files.read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok())
        else {
            continue;
        };
        let source = files.name(path);
        let edits = formats::find_fixes(&source, &text);
        if !edits.is_empty() {
            let fixed_text = formats::apply_edits(&text, &edits);
            // Only files that change are written, so that their times stay the same for watchers
            // and build tools.
            atomic_file::replace(path, fixed_text.as_bytes(), Access::Usual)
                .map_err(|source| FixError { path: path.clone(), source })?;
            fixed.push(FixReport { source, lines: edits.len() });
        }
    }
    Ok(fixed)
}

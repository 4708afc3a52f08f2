//! Writes definitions better where that changes nothing of what they mean.

use std::{
    io,
    path::{Path, PathBuf},
};

use catalog::SourceId;

use crate::{Crib, Files, discover};

/// A definition that was written better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The file.
    pub source: SourceId,
    /// How many lines are new.
    pub lines: usize,
}

/// A definition that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`: {source}", path.display())]
pub struct FixError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// Fixes the specifications of a crib.
pub fn fix_crib(crib: &Crib) -> Result<Vec<Fixed>, FixError> {
    fix(&crib.files(), &discover::in_crib(&crib.folder).definitions)
}

/// Fixes files, and the specifications in folders.
pub fn fix_paths(paths: &[PathBuf]) -> Result<Vec<Fixed>, FixError> {
    let below = |path: &Path| match path.is_dir() {
        true => discover::below(path),
        false => vec![path.to_owned()],
    };
    let found: Vec<PathBuf> = paths.iter().flat_map(|path| below(path)).collect();
    fix(&Files::new(""), &found)
}

fn fix(files: &Files, paths: &[PathBuf]) -> Result<Vec<Fixed>, FixError> {
    let mut fixed = Vec::new();
    for path in paths {
        // What cannot be read is told by reading it, not here.
        let Some(text) = files.read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok())
        else {
            continue;
        };
        let source = files.name(path);
        let edits = formats::fixes(&source, &text);
        if !edits.is_empty() {
            let better = formats::apply(&text, &edits);
            files
                .replace(path, &better)
                .map_err(|source| FixError { path: path.clone(), source })?;
            fixed.push(Fixed { source, lines: edits.len() });
        }
    }
    Ok(fixed)
}

//! Formats definition files.

use std::path::PathBuf;

use atomic_file::Access;
use catalog::SourceId;
use formats::{Rewrite, Unformatted};

use crate::{Crib, Files, FixError, discover};

/// A definition file and the result of formatting it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormattedFile {
    /// The path of the file in the crib.
    pub source: SourceId,
    /// Whether its text differs from the canonical form, or why it cannot be formatted.
    pub result: Result<bool, Unformatted>,
}

/// What to do with files that are not in canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDifference {
    /// Rewrite them.
    Write,
    /// Only report them.
    Report,
}

/// Formats JSON definitions: of the crib, or the given files and those in the given folders.
pub fn format_files(
    crib: &Crib,
    paths: &[PathBuf],
    rewrite: Rewrite,
    on_difference: OnDifference,
) -> Result<Vec<FormattedFile>, FixError> {
    let expand = |path: &PathBuf| {
        if path.is_dir() { discover::find_files(path) } else { vec![path.clone()] }
    };
    let (files, found) = if paths.is_empty() {
        (crib.files(), discover::find_candidates(&crib.folder).definitions)
    } else {
        (Files::new(""), paths.iter().flat_map(expand).collect())
    };
    let is_json = |path: &&PathBuf| path.extension().is_some_and(|own| own == "json");
    let mut formatted = Vec::new();
    for path in found.iter().filter(is_json) {
        // Unreadable files are skipped here; `check` reports them.
        let Some(text) = files.read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok())
        else {
            continue;
        };
        let result = match formats::format_definition(&text, rewrite) {
            Ok(canonical) if canonical == text => Ok(false),
            Ok(canonical) => {
                if on_difference == OnDifference::Write {
                    atomic_file::replace(path, canonical.as_bytes(), Access::Usual)
                        .map_err(|source| FixError { path: path.clone(), source })?;
                }
                Ok(true)
            }
            Err(reason) => Err(reason),
        };
        formatted.push(FormattedFile { source: files.name(path), result });
    }
    Ok(formatted)
}

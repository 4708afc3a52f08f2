//! Which files of a crib are definitions. Formats are told by content; this only finds candidates.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folder that holds definitions, and the file that holds shared guidance.
const TOOLS: &str = "tools";
const GUIDANCE: &str = "tool_guidance.json";

/// The candidates of one crib, each list sorted by name.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// Shared guidance: at the root, then in `tools/`.
    pub(crate) guidance: Vec<PathBuf>,
    /// Tool definitions.
    pub(crate) definitions: Vec<PathBuf>,
}

/// Looks where definitions are by convention: `tools/*.json`, and `tool_guidance.json` there or at the root.
pub(crate) fn in_crib(folder: &Path) -> Found {
    let guidance: Vec<_> =
        [folder.join(GUIDANCE), folder.join(TOOLS).join(GUIDANCE)].into_iter().filter(|path| path.is_file()).collect();
    let mut definitions = json_files(&folder.join(TOOLS));
    definitions.retain(|path| !guidance.contains(path));
    Found { guidance, definitions }
}

/// All JSON files below a folder that is not a crib.
pub(crate) fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = json_files(folder);
    let mut folders: Vec<_> = entries(folder).into_iter().filter(|path| path.is_dir() && !path.is_symlink()).collect();
    folders.sort();
    found.extend(folders.iter().flat_map(|folder| below(folder)));
    found
}

/// Whether a folder is laid out as a crib.
pub(crate) fn is_crib(folder: &Path) -> bool {
    folder.join("toolcrib.toml").is_file() || folder.join(TOOLS).is_dir()
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    with_extensions(folder, &["json"])
}

/// The files of a folder that have one of these extensions.
pub(crate) fn with_extensions(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let is_one = |path: &PathBuf| path.extension().is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted));
    let mut found: Vec<_> = entries(folder).into_iter().filter(|path| is_one(path) && !path.is_dir()).collect();
    found.sort();
    found
}

/// The visible entries of a folder; a folder that cannot be read has none.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let visible = |path: &PathBuf| path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'));
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).filter(visible).collect()
}

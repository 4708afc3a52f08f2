//! Which files of a crib are definitions. Formats are told by content; this only finds candidates.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folders that hold definitions, the second in R packages, and the file that holds shared guidance.
const TOOLS: &str = "tools";
pub(crate) const PACKAGE_TOOLS: &str = "inst/mcp/tools";
pub(crate) const FOLDERS: [&str; 2] = [TOOLS, PACKAGE_TOOLS];
const GUIDANCE: &str = "tool_guidance.json";

/// The candidates of one crib, each list sorted by name.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// Shared guidance: at the root, then in `tools/`.
    pub(crate) guidance: Vec<PathBuf>,
    /// Tool definitions.
    pub(crate) definitions: Vec<PathBuf>,
}

/// Looks where definitions are by convention: JSON and YAML in `tools/`, YAML in `inst/mcp/tools/`, and
/// `tool_guidance.json` in `tools/` or at the root.
pub(crate) fn in_crib(folder: &Path) -> Found {
    let guidance: Vec<_> =
        [folder.join(GUIDANCE), folder.join(TOOLS).join(GUIDANCE)].into_iter().filter(|path| path.is_file()).collect();
    let mut definitions = files(&folder.join(TOOLS), &["json", "yaml", "yml"]);
    definitions.extend(files(&folder.join(PACKAGE_TOOLS), &["yaml", "yml"]));
    definitions.retain(|path| !guidance.contains(path));
    Found { guidance, definitions }
}

/// All JSON and YAML files below a folder that is not a crib.
pub(crate) fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = files(folder, &["json", "yaml", "yml"]);
    let mut folders: Vec<_> = entries(folder).into_iter().filter(|path| path.is_dir() && !path.is_symlink()).collect();
    folders.sort();
    found.extend(folders.iter().flat_map(|folder| below(folder)));
    found
}

/// Whether a folder is laid out as a crib.
pub(crate) fn is_crib(folder: &Path) -> bool {
    folder.join("toolcrib.toml").is_file() || FOLDERS.iter().any(|tools| folder.join(tools).is_dir())
}

fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let has_one = |path: &PathBuf| path.extension().is_some_and(|own| extensions.iter().any(|extension| own == *extension));
    let mut found: Vec<_> = entries(folder).into_iter().filter(|path| has_one(path) && !path.is_dir()).collect();
    found.sort();
    found
}

/// The visible entries of a folder; a folder that cannot be read has none.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let visible = |path: &PathBuf| path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'));
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).filter(visible).collect()
}

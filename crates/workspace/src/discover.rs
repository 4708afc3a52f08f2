//! Which files of a crib are definitions. Formats are told by content; this only finds candidates.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folders that hold definitions, the second in R packages, and the file that holds shared guidance.
const TOOLS: &str = "tools";
pub(crate) const PACKAGE_TOOLS: &str = "inst/mcp/tools";
pub(crate) const FOLDERS: [&str; 2] = [TOOLS, PACKAGE_TOOLS];
pub(crate) const GUIDANCE: &str = "tool_guidance.json";

/// The name of Markdown specifications, in lower case.
const SPECIFICATION: &str = "mcp_tool_specification.md";

/// Folders of other programs' making, in which nobody writes specifications.
const FOREIGN: [&str; 5] = ["node_modules", "target", "venv", "__pycache__", "site-packages"];

/// No more folders than this are searched for specifications.
const MOST_FOLDERS: usize = 20_000;

/// The candidates of one crib, each list sorted by name.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// Shared guidance: at the root, then in `tools/`.
    pub(crate) guidance: Vec<PathBuf>,
    /// Tool definitions.
    pub(crate) definitions: Vec<PathBuf>,
}

/// Looks where definitions are by convention: JSON and YAML in `tools/`, YAML in `inst/mcp/tools/`, `tool_guidance.json`
/// in `tools/` or at the root, and `MCP_TOOL_SPECIFICATION.md` anywhere below.
pub(crate) fn in_crib(folder: &Path) -> Found {
    let guidance: Vec<_> = [folder.join(GUIDANCE), folder.join(TOOLS).join(GUIDANCE)]
        .into_iter()
        .filter(|path| path.is_file())
        .collect();
    let mut definitions = files(&folder.join(TOOLS), &["json", "yaml", "yml"]);
    definitions.extend(files(&folder.join(PACKAGE_TOOLS), &["yaml", "yml"]));
    definitions.retain(|path| !guidance.contains(path));
    definitions.extend(specifications(folder));
    Found { guidance, definitions }
}

/// All JSON, YAML and Markdown files below a folder that is not a crib.
pub(crate) fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = files(folder, &["json", "yaml", "yml", "md"]);
    let mut folders: Vec<_> =
        entries(folder).into_iter().filter(|path| path.is_dir() && !path.is_symlink()).collect();
    folders.sort();
    found.extend(folders.iter().flat_map(|folder| below(folder)));
    found
}

/// Whether a folder is laid out as a crib.
pub(crate) fn is_crib(folder: &Path) -> bool {
    folder.join("toolcrib.toml").is_file()
        || FOLDERS.iter().any(|tools| folder.join(tools).is_dir())
}

/// The specifications below a folder, whatever the case of their names. Links to folders are not followed.
pub(crate) fn specifications(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    let mut searched = 0;
    while searched < MOST_FOLDERS
        && let Some(next) = waiting.pop()
    {
        searched += 1;
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !name.starts_with('.') && !FOREIGN.contains(&name.as_str()) {
                waiting.push(entry.path());
            } else if !is_folder && name.eq_ignore_ascii_case(SPECIFICATION) {
                found.push(entry.path());
            }
        }
    }
    if !waiting.is_empty() {
        tracing::warn!(
            "{} has more than {MOST_FOLDERS} folders; the rest was not searched for specifications",
            folder.display()
        );
    }
    found.sort();
    found
}

/// The files of a folder that have one of these extensions.
pub(crate) fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let has_one = |path: &PathBuf| {
        path.extension().is_some_and(|own| extensions.iter().any(|extension| own == *extension))
    };
    let mut found: Vec<_> =
        entries(folder).into_iter().filter(|path| has_one(path) && !path.is_dir()).collect();
    found.sort();
    found
}

/// The visible entries of a folder; a folder that cannot be read has none.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let visible = |path: &PathBuf| {
        path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'))
    };
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(visible)
        .collect()
}

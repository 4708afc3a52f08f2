//! Finds the files of a crib that may be definitions. The table of formats names folders, extensions
//! and file names; which format a file has is decided by its content.

use std::{
    fs,
    path::{Path, PathBuf},
};

use formats::{FORMATS, GUIDANCE_FILE};

/// The folder that `build` writes definitions of an R package to.
pub(crate) const PACKAGE_TOOLS: &str = "inst/mcp/tools";

/// The folder for definitions of every kind.
pub(crate) const TOOLS: &str = "tools";

/// Generated folders, in which definitions are copies or belong to others.
const GENERATED: [&str; 5] = ["node_modules", "target", "venv", "__pycache__", "site-packages"];

/// Bounds the search for files by name in folders that turn out to be huge.
const MAX_FOLDERS: usize = 20_000;

/// The candidates of one crib, each list sorted by name.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// Shared guidance: at the root, then in `tools/`.
    pub(crate) guidance: Vec<PathBuf>,
    /// Tool definitions.
    pub(crate) definitions: Vec<PathBuf>,
}

/// Finds definitions where formats keep them: in their folders by extension, anywhere by name. Shared
/// guidance is at the root or in `tools/`.
pub(crate) fn in_crib(folder: &Path) -> Found {
    let guidance: Vec<_> = [folder.join(GUIDANCE_FILE), folder.join(TOOLS).join(GUIDANCE_FILE)]
        .into_iter()
        .filter(|path| path.is_file())
        .collect();
    let mut definitions: Vec<_> = definition_folders()
        .into_iter()
        .flat_map(|tools| files(&folder.join(tools), &extensions_in(tools)))
        .collect();
    definitions.retain(|path| !guidance.contains(path));
    definitions.extend(named_files(folder));
    Found { guidance, definitions }
}

/// The folders of a crib that hold definitions.
pub(crate) fn definition_folders() -> Vec<&'static str> {
    distinct(FORMATS.iter().flat_map(|format| format.folders))
}

/// The extensions that definitions have in one of the folders.
pub(crate) fn extensions_in(folder: &str) -> Vec<&'static str> {
    let at_home = FORMATS.iter().filter(|format| format.folders.contains(&folder));
    distinct(at_home.flat_map(|format| format.extensions))
}

fn distinct<'a>(names: impl Iterator<Item = &'a &'static str>) -> Vec<&'static str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(name) {
            distinct.push(*name);
        }
    }
    distinct
}

/// All files below a folder, which is not a crib, with the extension of some format.
pub(crate) fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = files(folder, &distinct(FORMATS.iter().flat_map(|format| format.extensions)));
    let mut folders: Vec<_> =
        entries(folder).into_iter().filter(|path| path.is_dir() && !path.is_symlink()).collect();
    folders.sort();
    found.extend(folders.iter().flat_map(|folder| below(folder)));
    found
}

/// Whether a folder is laid out as a crib.
pub(crate) fn is_crib(folder: &Path) -> bool {
    folder.join("toolcrib.toml").is_file()
        || definition_folders().iter().any(|tools| folder.join(tools).is_dir())
}

/// The files below a folder that are definitions by their name, in any case. Links to folders are not
/// followed, so that a cycle of links cannot trap the search.
pub(crate) fn named_files(folder: &Path) -> Vec<PathBuf> {
    let names: Vec<_> = FORMATS.iter().filter_map(|format| format.file_name).collect();
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    let mut searched = 0;
    while searched < MAX_FOLDERS
        && let Some(next) = waiting.pop()
    {
        searched += 1;
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !name.starts_with('.') && !GENERATED.contains(&name.as_str()) {
                waiting.push(entry.path());
            } else if !is_folder && names.iter().any(|known| name.eq_ignore_ascii_case(known)) {
                found.push(entry.path());
            }
        }
    }
    if !waiting.is_empty() {
        tracing::warn!(
            "{} has more than {MAX_FOLDERS} folders; the rest was not searched for definitions",
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

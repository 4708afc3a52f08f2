//! Finds the files of a crib that may be definitions. The table of formats names folders,
//! extensions and file names; the format of a file is detected from its content.

use std::{
    fs::{self, DirEntry},
    path::{Path, PathBuf},
};

use formats::{FORMATS, GUIDANCE_FILE};

/// The name of the configuration file.
pub(crate) const CONFIG: &str = "toolcrib.toml";

/// The name of the file that pins tools.
pub const LOCK: &str = "toolcrib.lock";

/// The conventional folders of prompts and workflows, in order of precedence.
pub(crate) const PROMPT_FOLDERS: [&str; 2] = ["prompts", "inst/mcp/workflows"];

/// The folder for definitions of every format.
pub(crate) const TOOLS: &str = "tools";

/// The folder to which `build` writes the definitions of an R package.
pub(crate) const PACKAGE_TOOLS: &str = "inst/mcp/tools";

/// Folders that package managers and build tools fill. Definitions in them belong to dependencies,
/// or are copies.
const GENERATED: [&str; 5] = ["node_modules", "target", "venv", "__pycache__", "site-packages"];

/// The maximum number of folders that are searched by file name, so that a crib in a home folder
/// still opens quickly.
const MAX_FOLDERS: usize = 20_000;

/// The candidates of one crib.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Candidates {
    /// Shared guidance: the file at the root, whose texts win, then the one in `tools/`.
    pub(crate) guidance: Vec<PathBuf>,
    /// Tool definitions: each definition folder in the order of [`FORMATS`], then the files that
    /// are found by name, sorted by name within each. When two files define the same tool, the
    /// first one wins.
    pub(crate) definitions: Vec<PathBuf>,
}

/// Finds definitions where formats keep them: in definition folders by extension, in any folder by
/// file name. Shared guidance is at the root or in `tools/`.
pub(crate) fn find_candidates(folder: &Path) -> Candidates {
    let guidance: Vec<_> = [folder.join(GUIDANCE_FILE), folder.join(TOOLS).join(GUIDANCE_FILE)]
        .into_iter()
        .filter(|path| path.is_file())
        .collect();
    let mut definitions: Vec<_> = definition_folders()
        .into_iter()
        .flat_map(|tools| list_files(&folder.join(tools), &extensions_in(tools)))
        .collect();
    // The guidance file in `tools/` has the extension of a definition.
    definitions.retain(|path| !guidance.contains(path));
    definitions.extend(find_named_files(folder));
    Candidates { guidance, definitions }
}

/// The folders of a crib that contain definitions, relative to it.
pub(crate) fn definition_folders() -> Vec<&'static str> {
    remove_duplicates(FORMATS.iter().flat_map(|format| format.folders))
}

/// The names of files that are definitions in any folder.
pub(crate) fn definition_names() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().filter_map(|format| format.file_name)
}

/// The extensions of definitions in one of the definition folders.
pub(crate) fn extensions_in(folder: &str) -> Vec<&'static str> {
    let formats = FORMATS.iter().filter(|format| format.folders.contains(&folder));
    remove_duplicates(formats.flat_map(|format| format.extensions))
}

/// Removes duplicates and keeps the order of the first occurrences.
fn remove_duplicates<'a>(names: impl Iterator<Item = &'a &'static str>) -> Vec<&'static str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(name) {
            distinct.push(*name);
        }
    }
    distinct
}

/// All files with the extension of a format, in a folder that is not a crib and its subfolders.
pub(crate) fn find_files(folder: &Path) -> Vec<PathBuf> {
    let extensions = remove_duplicates(FORMATS.iter().flat_map(|format| format.extensions));
    let mut found = list_files(folder, &extensions);
    let mut folders: Vec<_> = list_visible(folder)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && !path.is_symlink())
        .collect();
    // So that diagnostics and duplicates do not depend on the file system.
    folders.sort();
    found.extend(folders.iter().flat_map(|folder| find_files(folder)));
    found
}

/// Whether a folder has the layout of a crib.
pub(crate) fn is_crib(folder: &Path) -> bool {
    folder.join(CONFIG).is_file()
        || definition_folders().iter().any(|tools| folder.join(tools).is_dir())
}

/// The files in a folder and its subfolders that are definitions by their name, in any case. Links
/// to folders are not followed, because they can form cycles.
pub(crate) fn find_named_files(folder: &Path) -> Vec<PathBuf> {
    let names: Vec<_> = definition_names().collect();
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    let mut searched = 0;
    while searched < MAX_FOLDERS
        && let Some(next) = pending.pop()
    {
        searched += 1;
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            // Does not follow links, unlike `Path::is_dir`.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !name.starts_with('.') && !GENERATED.contains(&name.as_str()) {
                pending.push(entry.path());
            } else if !is_folder && names.iter().any(|known| name.eq_ignore_ascii_case(known)) {
                found.push(entry.path());
            }
        }
    }
    if !pending.is_empty() {
        tracing::warn!(
            "{} has more than {MAX_FOLDERS} folders; the rest was not searched for definitions",
            folder.display()
        );
    }
    found.sort();
    found
}

/// The visible files of a folder with one of these extensions, sorted by name.
pub(crate) fn list_files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let matches = |path: &PathBuf| {
        path.extension().is_some_and(|own| extensions.iter().any(|extension| own == *extension))
    };
    let is_folder = |entry: &DirEntry, path: &Path| match entry.file_type() {
        // The type is part of the listing, so that only links cost a system call.
        Ok(kind) if !kind.is_symlink() => kind.is_dir(),
        _ => path.is_dir(),
    };
    let mut found: Vec<_> = list_visible(folder)
        .map(|entry| (entry.path(), entry))
        .filter(|(path, entry)| matches(path) && !is_folder(entry, path))
        .map(|(path, _)| path)
        .collect();
    found.sort();
    found
}

/// The visible subfolders of a folder, sorted by name.
pub(crate) fn list_folders(folder: &Path) -> Vec<PathBuf> {
    let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut folders: Vec<_> =
        list_visible(folder).filter(is_folder).map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

/// The visible entries of a folder that are not files with one of these extensions, sorted by name.
pub(crate) fn list_others(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let known = list_files(folder, extensions);
    let mut others: Vec<_> = list_visible(folder).map(|entry| entry.path()).collect();
    others.sort();
    others.retain(|path| known.binary_search(path).is_err());
    others
}

/// The entries of a folder whose names do not start with a dot. An unreadable folder has none.
fn list_visible(folder: &Path) -> impl Iterator<Item = DirEntry> {
    let is_visible = |entry: &DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
    fs::read_dir(folder).into_iter().flatten().flatten().filter(is_visible)
}

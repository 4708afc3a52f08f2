//! The files whose content decides what a tool does: scripts, modules and package sources.
//!
//! A definition names them, so its own digest does not change when they are edited. Approvals and
//! lock files therefore add the digests of their contents.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use catalog::{
    Implementation, Tool,
    implementation::{Piece, Process, PythonFunction, RFunction},
};
use process::{follow_links_outside, is_program};

use crate::Settings;

/// The extensions of scripts that an interpreter runs.
const SCRIPTS: [&str; 15] = [
    "awk", "bash", "jq", "js", "lua", "mjs", "mk", "php", "pl", "py", "r", "rb", "sh", "ts", "zsh",
];

/// The extensions of Python modules.
const PYTHON: [&str; 2] = ["py", "so"];
/// The file that makes a folder a Python package.
const PACKAGE: &str = "__init__.py";
const VIRTUAL_ENVIRONMENT: &str = ".venv";
/// Folders that are not searched for Python modules, besides hidden ones.
const NOT_IMPORTED: [&str; 3] = ["__pycache__", "node_modules", "site-packages"];

/// The files that R loads from the sources of a package. Scripts in `data` run when their data set is
/// used.
const R_FILES: [&str; 2] = ["DESCRIPTION", "NAMESPACE"];
const R_FOLDERS: [&str; 4] = ["R", "src", "inst", "data"];

/// Maximum number of files of one tool. A larger package is covered by its first files only, in the order
/// of their paths.
const MAX_FILES: usize = 10_000;
/// How deep folders of a package are searched; also stops at symbolic links that lead back.
const MAX_DEPTH: usize = 16;

/// The files that the definition of a tool names as code, sorted: its program if that is in the crib,
/// words of its command line that are files in `folder`, the folder of its Python module, the sources
/// of its R package. Files that do not exist are left out.
pub fn code_files(crib: &Path, folder: &Path, tool: &Tool) -> Vec<PathBuf> {
    let mut files = match &tool.implementation {
        Implementation::Process(process) => of_process(crib, folder, process),
        Implementation::Python(function) => of_python(crib, function),
        Implementation::R(function) => of_r(crib, function),
        Implementation::Sequence(_)
        | Implementation::Tool(_)
        | Implementation::Native
        | Implementation::Missing => Vec::new(),
    };
    files.sort_unstable();
    files.dedup();
    files.truncate(MAX_FILES);
    files
}

/// The files and folders in the crib with the code of tools, whether or not they exist: only a person may
/// change them.
pub fn code_paths<'t>(settings: &Settings, tools: impl Iterator<Item = &'t Tool>) -> Vec<PathBuf> {
    let crib = &settings.crib;
    let (mut paths, mut python) = (Vec::new(), BTreeSet::new());
    for tool in tools {
        match &tool.implementation {
            Implementation::Process(process) => {
                let files = of_process(crib, crib, process);
                // Words also name data that a tool of the crib may well change.
                paths.extend(files.into_iter().filter(|file| is_code(file)));
            }
            Implementation::Python(function) => {
                let package = function.module.split('.').next().unwrap_or_default();
                for folder in function.path.iter().map(|folder| crib.join(folder)) {
                    let folder = follow_links_outside(&folder, &[]);
                    paths.extend([folder.join(package), folder.join(format!("{package}.py"))]);
                    python.insert(folder);
                }
            }
            Implementation::R(function) => {
                if let Some(sources) = function.sources.as_ref().map(|folder| crib.join(folder)) {
                    let parts = R_FILES.iter().chain(&R_FOLDERS);
                    paths.extend(parts.map(|part| sources.join(part)));
                }
            }
            _ => {}
        }
    }
    if !python.is_empty() {
        // Covers the packages of the environment, not only its interpreter, because every Python worker
        // imports them.
        paths.push(crib.join(VIRTUAL_ENVIRONMENT));
    }
    // Each folder is searched once, because thousands of tools may share it.
    paths.extend(python.iter().flat_map(|folder| python_paths(settings, folder)));
    // Programs of the system are not writable anyway.
    paths.retain(|path| path.starts_with(crib));
    paths
}

/// The files that Python imports from a folder: all of it, unless it is or contains a folder that tools
/// may write; then the modules and packages in it.
fn python_paths(settings: &Settings, folder: &Path) -> Vec<PathBuf> {
    if !settings.roots.iter().any(|root| root.starts_with(folder)) {
        return vec![folder.to_owned()];
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_module = |path: &PathBuf| has_extension(path, &PYTHON) || path.join(PACKAGE).is_file();
    entries.filter(is_module).collect()
}

/// Whether a file is executable or has the extension of a script.
fn is_code(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    SCRIPTS.contains(&extension.to_ascii_lowercase().as_str()) || is_program(file)
}

/// The file that a word of a command line names in `folder`, if there is one: `run.sh`,
/// `--file=run.sh`.
pub(crate) fn named_file(folder: &Path, word: &str) -> Option<PathBuf> {
    let value = word.split_once('=').filter(|_| word.starts_with('-')).map(|(_, value)| value);
    [Some(word), value].into_iter().flatten().filter(|name| !name.is_empty()).find_map(|name| {
        let path = folder.join(name);
        path.is_file().then_some(path)
    })
}

fn of_process(crib: &Path, folder: &Path, process: &Process) -> Vec<PathBuf> {
    let program = process.program.contains('/').then(|| crib.join(&process.program));
    let words = process.pieces.iter().filter_map(|piece| match piece {
        Piece::Word(word) => named_file(folder, word),
        Piece::Parameter(_) | Piece::DoubleDash | Piece::Json => None,
    });
    program.filter(|path| path.is_file()).into_iter().chain(words).collect()
}

/// All files that a Python function may import from the folders of its crib. An approved call imports no
/// others from there.
pub(crate) fn importable_files(crib: &Path, function: &PythonFunction) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in &function.path {
        add_files(&mut files, &crib.join(folder), &["py"], MAX_DEPTH);
    }
    files
}

/// Modules import their neighbours, so those count as well.
fn of_python(crib: &Path, function: &PythonFunction) -> Vec<PathBuf> {
    let package = function.module.split('.').next().unwrap_or_default();
    let mut files = Vec::new();
    for folder in function.path.iter().map(|folder| crib.join(folder)) {
        add_files(&mut files, &folder, &["py"], 0);
        add_files(&mut files, &folder.join(package), &["py"], MAX_DEPTH);
    }
    files
}

fn of_r(crib: &Path, function: &RFunction) -> Vec<PathBuf> {
    let Some(sources) = function.sources.as_ref().map(|folder| crib.join(folder)) else {
        return Vec::new();
    };
    let named = R_FILES.map(|name| sources.join(name));
    let mut files: Vec<_> = named.into_iter().filter(|path| path.is_file()).collect();
    for folder in R_FOLDERS {
        add_files(&mut files, &sources.join(folder), &[], MAX_DEPTH);
    }
    files
}

/// Adds the files of a folder with one of these extensions, or all of them if the list is empty.
fn add_files(files: &mut Vec<PathBuf>, folder: &Path, extensions: &[&str], depth: usize) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort_unstable();
    let is_wanted = |path: &Path| extensions.is_empty() || has_extension(path, extensions);
    // Other folders of a project, which may be large: installed packages, byte code, repositories.
    let is_entered = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        extensions.is_empty() || !(name.starts_with('.') || NOT_IMPORTED.contains(&name))
    };
    for path in paths {
        if files.len() > MAX_FILES {
            return;
        }
        if path.is_dir() && depth > 0 && is_entered(&path) {
            add_files(files, &path, extensions, depth - 1);
        } else if path.is_file() && is_wanted(&path) {
            files.push(path);
        }
    }
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| extensions.contains(&extension))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::named_file;

    #[test]
    fn finds_the_file_in_a_word_and_in_the_value_of_a_flag() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("run.sh"), "").expect("a file");
        let find = |word: &str| named_file(folder.path(), word);
        let file = Some(folder.path().join("run.sh"));
        assert_eq!((find("run.sh"), find("--file=run.sh")), (file.clone(), file));
        assert_eq!((find("name=run.sh"), find(""), find(".")), (None, None, None));
        assert!(named_file(Path::new("/"), "no such file").is_none());
    }
}

//! Checks the R Markdown and Quarto documents of a crib without running them.

use std::path::{Component, Path, PathBuf};

use catalog::{Diagnostic, Origin, SourceId};
use formats::rmd;

use crate::{Crib, Documents, Loaded, allow, discover};

/// Extensions of documents.
const EXTENSIONS: [&str; 3] = ["Rmd", "rmd", "qmd"];

/// The folder with rendered files.
const OUTPUT: &str = "output";

/// Maximum number of documents that are checked.
const MAX_DOCUMENTS: usize = 1_000;

/// Adds the problems in the documents of a crib, except those that it allows. Only `check` does this:
/// rendering a document checks it anyway.
pub fn check_documents(crib: &Crib, loaded: &mut Loaded) {
    let Some(documents) = &crib.documents else { return };
    let files = crib.files();
    let mut paths = Vec::new();
    find_documents(&documents.folder, &mut paths);
    for path in paths.iter().take(MAX_DOCUMENTS) {
        loaded.files += 1;
        let mut found = match files.read(path) {
            Ok(bytes) => check_text(&files.name(path), path, documents, &bytes),
            Err(problem) => vec![*problem],
        };
        allow::remove_allowed(&crib.allow, &mut found);
        loaded.diagnostics.extend(found);
    }
    loaded.sort_diagnostics();
}

/// The documents in a folder, at any depth. Links are not followed: documents behind them are not
/// served either.
fn find_documents(folder: &Path, paths: &mut Vec<PathBuf>) {
    let files = discover::list_files(folder, &EXTENSIONS);
    paths.extend(files.into_iter().filter(|path| !path.is_symlink()));
    for folder in discover::list_folders(folder) {
        if !folder.ends_with(OUTPUT) && paths.len() < MAX_DOCUMENTS {
            find_documents(&folder, paths);
        }
    }
}

fn check_text(
    source: &SourceId,
    path: &Path,
    documents: &Documents,
    bytes: &[u8],
) -> Vec<Diagnostic> {
    let text = String::from_utf8_lossy(bytes);
    let folder = path.parent().unwrap_or(&documents.folder);
    let exists = |name: &str| folder.join(name).is_file() || is_data(documents, folder, name);
    let to_diagnostic = |problem: rmd::Problem| {
        let lines = text.split_inclusive('\n').take(problem.line.saturating_sub(1));
        let origin = Origin::offset(source, lines.map(str::len).sum());
        Diagnostic::new(problem.rule, origin, problem.message).hint(problem.hint)
    };
    rmd::check(&text, &exists).into_iter().map(to_diagnostic).collect()
}

/// Whether a path leads into a data folder, which appears in the folder of documents under its own name.
fn is_data(documents: &Documents, folder: &Path, name: &str) -> bool {
    let Ok(below) = folder.strip_prefix(&documents.folder) else { return false };
    let path = normalize(&below.join(name));
    documents.data.iter().any(|data| {
        let rest = data.file_name().and_then(|own| path.strip_prefix(own).ok());
        rest.is_some_and(|rest| data.join(rest).is_file())
    })
}

/// The path without `..`, by its text: the folder does not exist where the document expects it.
fn normalize(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            part => path.push(part),
        }
        path
    })
}

//! Collects the files of a crib for a package.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use export::File;
use workspace::Crib;

use crate::{Assembly, assembly::protected_paths};

/// Folders with files that are specific to this machine or generated. They are never packed.
const EXCLUDED: [&str; 2] = ["__pycache__", "node_modules"];

/// The files of a crib, and the folders outside of it that they depend on.
pub struct CribFiles {
    /// Configuration, definitions, prompts, code of tools, content and documents.
    pub files: Vec<File>,
    /// Configured folders outside the crib.
    pub outside: Vec<PathBuf>,
}

/// Reads the files that a crib needs on another machine: the protected ones, content and documents.
/// Other files of the folder may be private, so they are left out.
pub fn read_crib_files(assembly: &Assembly) -> Result<CribFiles, (PathBuf, io::Error)> {
    let crib = assembly.crib();
    let mut paths = protected_paths(crib, assembly.loaded(), &assembly.settings());
    paths.extend(assembly.loaded().content.categories.iter().map(|one| one.folder.clone()));
    paths.extend(crib.documents.is_some().then(|| crib.documents_folder()));
    let mut found = Vec::new();
    for path in paths {
        collect(crib, &path, &mut found)?;
    }
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    found.dedup();
    Ok(CribFiles { files: found, outside: folders_outside(crib) })
}

fn folders_outside(crib: &Crib) -> Vec<PathBuf> {
    let named = crib.config.crib.roots.iter().chain(&crib.config.confine.read);
    let named = named.chain(&crib.config.confine.write).map(|path| crib.resolve(path));
    named.filter(|path| !path.starts_with(&crib.folder)).collect()
}

/// Adds a file, or all files of a folder, if it is in the crib. Symlinks are skipped, because they
/// could point to private files.
fn collect(crib: &Crib, path: &Path, found: &mut Vec<File>) -> Result<(), (PathBuf, io::Error)> {
    let Ok(relative) = path.strip_prefix(&crib.folder) else { return Ok(()) };
    let is_excluded = |part: &std::ffi::OsStr| {
        part.to_str().is_none_or(|part| part.starts_with('.') || EXCLUDED.contains(&part))
    };
    if relative.iter().any(is_excluded) {
        return Ok(());
    }
    let failed = |error| (path.to_owned(), error);
    // A configured folder need not exist.
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    if metadata.is_dir() {
        for entry in fs::read_dir(path).map_err(failed)? {
            collect(crib, &entry.map_err(failed)?.path(), found)?;
        }
    } else if metadata.is_file() {
        let content = fs::read(path).map_err(failed)?;
        let is_executable = metadata.permissions().mode() & 0o111 != 0;
        let path = relative.to_string_lossy().into_owned();
        found.push(File { path, content, is_executable });
    }
    Ok(())
}

//! Locates the sources of R packages, so that tools can run without installing the package.

use std::path::{Path, PathBuf};

use catalog::{Implementation, Tool};

use crate::{build, discover, files};

/// Sets the source folder of an R function, if the crib has the sources of its package.
pub(crate) fn locate(tool: &mut Tool, definition: &Path, crib: &Path) {
    if let Implementation::R(function) = &mut tool.implementation {
        let found = find(&function.package, definition, crib);
        function.sources = found.map(|folder| match folder.strip_prefix(crib) {
            Ok(inside) if !inside.as_os_str().is_empty() => inside.to_string_lossy().into_owned(),
            _ => ".".to_owned(),
        });
    }
}

/// Finds the nearest package, from the definition up to the crib: first each folder itself and its
/// subfolder with the name of the package, then subfolders of any name.
fn find(package: &str, definition: &Path, crib: &Path) -> Option<PathBuf> {
    let ancestors = || definition.ancestors().skip(1).take_while(|folder| folder.starts_with(crib));
    let is_package = |folder: &PathBuf| is_package(folder, package);
    let by_name = ancestors().flat_map(|folder| [folder.to_owned(), folder.join(package)]);
    // Searched last, because it lists every folder on the way.
    by_name.chain(ancestors().flat_map(discover::list_folders)).find(is_package)
}

fn is_package(folder: &Path, name: &str) -> bool {
    let description = files::read_text(&folder.join("DESCRIPTION")).unwrap_or_default();
    build::package_name(&description).as_deref() == Some(name) && folder.join("R").is_dir()
}

//! Where the sources of an R package lie, beside the definitions of its tools.

use std::{
    fs,
    path::{Path, PathBuf},
};

use catalog::{Implementation, Tool};

use crate::build;

/// Says of an R function where the sources of its package are, if they are in the crib.
pub(crate) fn settle(tool: &mut Tool, definition: &Path, crib: &Path) {
    if let Implementation::R(function) = &mut tool.implementation {
        let found = find(&function.package, definition, crib);
        function.sources = found.map(|folder| match folder.strip_prefix(crib) {
            Ok(inside) if !inside.as_os_str().is_empty() => inside.to_string_lossy().into_owned(),
            _ => ".".to_owned(),
        });
    }
}

/// The nearest folder upward that is the package, or that has it as a folder.
fn find(package: &str, definition: &Path, crib: &Path) -> Option<PathBuf> {
    let upward = definition.ancestors().skip(1).take_while(|folder| folder.starts_with(crib));
    upward
        .flat_map(|folder| [folder.to_owned(), folder.join(package)])
        .find(|folder| is_package(folder, package))
}

fn is_package(folder: &Path, name: &str) -> bool {
    let description = fs::read_to_string(folder.join("DESCRIPTION")).unwrap_or_default();
    build::package_name(&description).as_deref() == Some(name) && folder.join("R").is_dir()
}

//! The file beside a definition that records its import: `tools/.origins/git.json` of `tools/git.json`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use atomic_file::Access;
use import::ImportRecord;

use crate::error::CommandError;

/// The folder of records. Definitions are not searched for in hidden folders.
const FOLDER: &str = ".origins";

/// The path of the record of a definition.
fn path_of(definition: &Path) -> PathBuf {
    let name = definition.file_name().unwrap_or_default();
    definition.with_file_name(FOLDER).join(name)
}

/// Reads the record of a definition.
pub(in crate::commands) fn load(definition: &Path) -> Result<ImportRecord, CommandError> {
    let path = path_of(definition);
    let text = fs::read_to_string(&path).map_err(|_| {
        let message = format!("`{}` was not imported", definition.display());
        CommandError::machine(message).hint(format!("its origins would be in {}", path.display()))
    })?;
    ImportRecord::parse(&text)
        .map_err(|error| CommandError::machine(format!("cannot read {}: {error}", path.display())))
}

/// Writes the record of a definition.
pub(super) fn save(definition: &Path, record: &ImportRecord) -> Result<(), CommandError> {
    let path = path_of(definition);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| CommandError::io("create", folder, &error))?;
    atomic_file::replace(&path, record.text().as_bytes(), Access::Usual)
        .map_err(|error| CommandError::io("write", &path, &error))
}

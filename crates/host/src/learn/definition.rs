//! Writes observed effects into the definition of a tool.

use std::{io, path::PathBuf};

use atomic_file::Access;
use catalog::Tool;
use formats::DeclareError;
use workspace::Crib;

use super::Profile;

/// A planned change of a definition.
pub struct DefinitionChange {
    /// The file.
    pub path: PathBuf,
    /// The current text.
    pub before: String,
    /// The new text.
    pub after: String,
}

/// An error while changing a definition.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// Its file cannot be read.
    #[error("cannot read `{0}`")]
    Unreadable(PathBuf),
    /// The effects cannot be declared in its file.
    #[error("cannot change `{0}`: {1}")]
    Undeclarable(PathBuf, DeclareError),
    /// Its file cannot be written.
    #[error("cannot write `{0}`: {1}")]
    Unwritable(PathBuf, io::Error),
}

impl Profile {
    /// Plans the definition of `tool` with the observed effects.
    pub fn declare(&self, crib: &Crib, tool: &Tool) -> Result<DefinitionChange, DefinitionError> {
        let path = crib.folder.join(tool.origin.source.as_str());
        let bytes = crib.files().read(&path);
        let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let before = text.ok_or_else(|| DefinitionError::Unreadable(path.clone()))?;
        let pointer = tool.origin.pointer().unwrap_or_default();
        let after = formats::declare(&before, pointer, &self.declaration(tool))
            .map_err(|error| DefinitionError::Undeclarable(path.clone(), error))?;
        Ok(DefinitionChange { path, before, after })
    }
}

impl DefinitionChange {
    /// Whether the definition already declares all effects.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }

    /// Writes the file.
    pub fn apply(&self) -> Result<(), DefinitionError> {
        atomic_file::replace(&self.path, self.after.as_bytes(), Access::Usual)
            .map_err(|error| DefinitionError::Unwritable(self.path.clone(), error))
    }
}

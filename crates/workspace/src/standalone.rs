//! Reads a single definition file, without a crib around it.

use std::path::Path;

use catalog::{Diagnostic, Tool};
use formats::{Document, GUIDANCE_FILE, Guidance};

use crate::{
    Files, OpenError,
    definition::{self, Definition},
    files,
    linting::Linting,
};

/// The contents of a standalone definition file.
#[derive(Debug, Default)]
pub struct StandaloneFile {
    /// The valid tools, in the order of the file.
    pub tools: Vec<Tool>,
    /// The problems found while reading. The file is not linted.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a definition file, with the guidance next to it or in the parent folder.
pub fn read_standalone_file(path: &Path) -> Result<StandaloneFile, OpenError> {
    // A path that does not exist is an error of the command, not a diagnostic about a file.
    files::is_folder(path).map_err(|source| OpenError::Path { path: path.to_owned(), source })?;
    let files = Files::new("");
    let folder = path.parent().unwrap_or(path);
    let bytes = match files.read(path) {
        Ok(bytes) => bytes,
        Err(problem) => {
            return Ok(StandaloneFile { diagnostics: vec![*problem], ..StandaloneFile::default() });
        }
    };
    let read_link: formats::ReadLink<'_> =
        &|link| definition::read_link(&files, path, folder, link);
    let document = Document::parse(&files.name(path), &bytes);
    let guidance = read_guidance(&files, folder);
    let read = Definition::from_document(document, &guidance, Linting::Disabled, read_link);
    Ok(StandaloneFile {
        tools: read.tools.iter().map(|tool| tool.as_ref().clone()).collect(),
        diagnostics: read.diagnostics,
    })
}

/// The guidance of a folder, which wins, and of its parent: `tools/` and the root of a crib.
fn read_guidance(files: &Files, folder: &Path) -> Guidance {
    let mut guidance = Guidance::default();
    let paths = [Some(folder), folder.parent()]
        .into_iter()
        .flatten()
        .map(|folder| folder.join(GUIDANCE_FILE));
    for path in paths.filter(|path| path.is_file()) {
        if let Ok(bytes) = files.read(&path) {
            guidance.merge(formats::read_guidance(&files.name(&path), &bytes).0);
        }
    }
    guidance
}

//! One definition file by itself: its tools in the order of the file.

use std::path::Path;

use catalog::{Diagnostic, Tool};
use formats::{Document, GUIDANCE_FILE, Guidance};

use crate::{
    Files, OpenError,
    definition::{self, Definition},
    judging::Judging,
};

/// What one file holds.
#[derive(Debug, Default)]
pub struct StandaloneFile {
    /// The tools without an error, in the order of the file.
    pub tools: Vec<Tool>,
    /// What reading found.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads one definition, with the guidance that lies beside it or above it. Nothing is judged.
pub fn read_standalone_file(path: &Path) -> Result<StandaloneFile, OpenError> {
    std::fs::metadata(path).map_err(|source| OpenError::Path { path: path.to_owned(), source })?;
    let files = Files::new("");
    let folder = path.parent().unwrap_or(path);
    let bytes = match files.read(path) {
        Ok(bytes) => bytes,
        Err(problem) => {
            return Ok(StandaloneFile { diagnostics: vec![*problem], ..StandaloneFile::default() });
        }
    };
    let linked: formats::Linked<'_> = &|link| definition::linked(&files, path, folder, link);
    let document = Document::parse(&files.name(path), &bytes);
    let read = Definition::of(document, &guidance(&files, folder), Judging::Nothing, linked);
    Ok(StandaloneFile {
        tools: read.tools.iter().map(|tool| tool.as_ref().clone()).collect(),
        diagnostics: read.diagnostics,
    })
}

fn guidance(files: &Files, folder: &Path) -> Guidance {
    let mut guidance = Guidance::default();
    let places = [Some(folder), folder.parent()]
        .into_iter()
        .flatten()
        .map(|folder| folder.join(GUIDANCE_FILE));
    for path in places.filter(|path| path.is_file()) {
        if let Ok(bytes) = files.read(&path) {
            guidance.merge(formats::read_guidance(&files.name(&path), &bytes).0);
        }
    }
    guidance
}

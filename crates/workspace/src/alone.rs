//! One definition file by itself: its tools in the order of the file.

use std::path::Path;

use catalog::{Diagnostic, Tool};
use formats::Guidance;

use crate::{
    Files, OpenError,
    definition::{self, Definition},
    discover,
};

/// What one file holds.
#[derive(Debug, Default)]
pub struct Alone {
    /// The tools without an error, in the order of the file.
    pub tools: Vec<Tool>,
    /// What reading found.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads one definition, with the guidance that lies beside it or above it. Nothing is judged.
pub fn read_alone(path: &Path) -> Result<Alone, OpenError> {
    std::fs::metadata(path).map_err(|source| OpenError::Path { path: path.to_owned(), source })?;
    let files = Files::new("");
    let folder = path.parent().unwrap_or(path);
    let context = lint::Context { crib: "crib".to_owned(), full_names: false, scope: lint::Scope::File };
    let bytes = match files.read(path) {
        Ok(bytes) => bytes,
        Err(problem) => return Ok(Alone { diagnostics: vec![*problem], ..Alone::default() }),
    };
    let linked: formats::Linked<'_> = &|link| definition::linked(&files, path, folder, link);
    let read = Definition::of(&files.name(path), &bytes, &guidance(&files, folder), &context, linked);
    Ok(Alone { tools: read.tools.iter().map(|tool| tool.as_ref().clone()).collect(), diagnostics: read.diagnostics })
}

fn guidance(files: &Files, folder: &Path) -> Guidance {
    let mut guidance = Guidance::default();
    let places = [Some(folder), folder.parent()].into_iter().flatten().map(|folder| folder.join(discover::GUIDANCE));
    for path in places.filter(|path| path.is_file()) {
        if let Ok(bytes) = files.read(&path) {
            guidance.merge(formats::read_guidance(&files.name(&path), &bytes).0);
        }
    }
    guidance
}

//! One definition file: read, with the files that it links to.

use std::{
    fs,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use catalog::{Allowance, Diagnostic, SourceId, Tool};
use formats::{Document, Format, Guidance, Reading};

use crate::Files;

/// What a definition file holds.
#[derive(Default)]
pub(crate) struct Definition {
    pub(crate) tools: Vec<Arc<Tool>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) allowances: Vec<Allowance>,
    is_document: bool,
    /// The bytes of a document, of which identical copies count once.
    pub(crate) document: Option<Vec<u8>>,
}

impl Definition {
    /// Reads a file. What it links to is read if it lies below `within`.
    pub(crate) fn read(files: &Files, path: &Path, guidance: &Guidance, within: &Path) -> Self {
        match files.read(path) {
            Ok(bytes) => {
                let read = Self::of(&files.name(path), &bytes, guidance, &|link| linked(files, path, within, link));
                Self { document: read.is_document.then_some(bytes), ..read }
            }
            Err(problem) => Self { diagnostics: vec![*problem], ..Self::default() },
        }
    }

    /// Reads the bytes of a file.
    pub(crate) fn of(source: &SourceId, bytes: &[u8], guidance: &Guidance, linked: formats::Linked<'_>) -> Self {
        let document = Document::parse(source, bytes);
        let is_document = document.format() == Format::Specification;
        let Reading { tools, diagnostics, allowances } = document.read_linked(guidance, linked);
        let tools = tools.into_iter().map(Arc::new).collect();
        Self { tools, diagnostics, allowances, is_document, document: None }
    }
}

/// The text of a file that the definition at `path` links to.
pub(crate) fn linked(files: &Files, path: &Path, within: &Path, link: &str) -> Result<String, String> {
    if link.contains("://") || Path::new(link).has_root() {
        return Err("only files below the crib are read".to_owned());
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let target = plain(&folder.join(link));
    let real = fs::canonicalize(&target).map_err(|error| error.to_string())?;
    let within = fs::canonicalize(if within.as_os_str().is_empty() { Path::new(".") } else { within })
        .map_err(|error| error.to_string())?;
    if !real.starts_with(within) {
        return Err("it lies outside the crib".to_owned());
    }
    let bytes = files.read(&target).map_err(|problem| problem.message)?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

/// A path without `.` in it, and without `..` where something stands before it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

//! The result of reading definitions.

use catalog::{Catalog, Diagnostic, Location, Severity, SourceId};
use formats::Prompt;

use crate::Content;

/// The tools, prompts and documents that were read, and every problem.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The tools without an error.
    pub catalog: Catalog,
    /// All diagnostics, sorted by source and location.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of files that were read.
    pub files: usize,
    /// The number of tools without an error in these files.
    pub tools: usize,
    /// The prompts, with distinct names.
    pub prompts: Vec<Prompt>,
    /// The documents that agents can find.
    pub content: Content,
    /// Sources whose current version is broken. Their last valid version is used instead.
    pub stale: Vec<SourceId>,
}

impl Loaded {
    /// The number of diagnostics with this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }

    /// Sorts the diagnostics by source and location. Stable, so that diagnostics of one location
    /// keep the order in which the checks ran.
    pub(crate) fn sort_diagnostics(&mut self) {
        self.diagnostics
            .sort_by(|a, b| (&a.origin.source, sort_key(a)).cmp(&(&b.origin.source, sort_key(b))));
    }
}

/// Problems of the text come first, then those of values in the order of their JSON pointers, whose
/// offsets are not known before the file is parsed again for printing.
fn sort_key(diagnostic: &Diagnostic) -> (usize, &str) {
    match &diagnostic.origin.location {
        Location::Whole => (0, ""),
        Location::Offset(offset) => (*offset, ""),
        Location::Span(span) => (span.start, ""),
        Location::Value(pointer) | Location::Key(pointer) => (usize::MAX, pointer),
    }
}

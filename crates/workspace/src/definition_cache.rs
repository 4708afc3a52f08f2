//! Definitions of earlier loads. Reloading a crib parses and lints only the files that changed, and
//! shares the tools of all others with the running server instead of having them twice in memory.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use catalog::{Diagnostic, SourceId};
use formats::Guidance;
use sha2::{Digest as _, Sha256};

use crate::{Crib, Files, definition::Definition, linting::Linting, parallel};

/// The last valid version of each definition file: saving a broken file must not remove its tools
/// from a running server.
#[derive(Debug, Default)]
pub(crate) struct DefinitionCache {
    last_valid: BTreeMap<SourceId, Arc<Definition>>,
    inputs: Option<Inputs>,
    pub(crate) locations: ParameterLocations,
}

/// Whether tools still know where each parameter is defined after they were linted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ParameterLocations {
    #[default]
    Kept,
    Forgotten,
}

/// The inputs of a definition besides its file.
#[derive(Debug, PartialEq)]
struct Inputs {
    guidance: Guidance,
    context: Option<lint::Context>,
    /// Whether each file is linted by itself. A `[[bind]]` changes tools before they are linted.
    lints_files: bool,
}

impl DefinitionCache {
    /// Reads definition files in parallel. A file with the same bytes as before is not parsed
    /// again.
    pub(crate) fn read_files(
        &mut self,
        crib: &Crib,
        paths: &[PathBuf],
        guidance: Guidance,
        linting: Linting<'_>,
    ) -> Vec<Arc<Definition>> {
        // Bindings are applied to the tools of all files together, and rules look at what a tool is
        // bound to.
        let lints_files = linting.context().is_some() && crib.bind.is_empty();
        let inputs = Some(Inputs { guidance, context: linting.context().cloned(), lints_files });
        if self.inputs != inputs {
            self.inputs = inputs;
            for definition in self.last_valid.values_mut().map(Arc::make_mut) {
                // Read again, but kept as the last valid version.
                definition.is_self_contained = false;
                definition.findings.clear();
            }
        }
        parallel::map(paths, |path| self.read_file(crib, path, linting))
    }

    fn read_file(&self, crib: &Crib, path: &Path, linting: Linting<'_>) -> Arc<Definition> {
        let files: Files = crib.files();
        let bytes = match files.read(path) {
            Ok(bytes) => bytes,
            Err(problem) => {
                return Arc::new(Definition {
                    diagnostics: vec![*problem],
                    ..Definition::default()
                });
            }
        };
        let digest = Sha256::digest(&bytes).into();
        if let Some(last) = self.last_valid.get(&files.name(path))
            && last.is_self_contained
            && last.digest == digest
        {
            return Arc::clone(last);
        }
        let inputs = self.inputs.as_ref().expect("set before files are read");
        let read = Definition::read(&files, path, &bytes, &inputs.guidance, linting, &crib.folder);
        let mut read = Definition { digest, ..read };
        if inputs.lints_files {
            read.findings = linting.check_separately(&read.tools);
        }
        for tool in read.tools.iter_mut().map(Arc::make_mut) {
            if !inputs.lints_files {
                // The parsed schema is needed soon, to lint the tool.
                tool.shrink_to_fit();
                continue;
            }
            if self.locations == ParameterLocations::Forgotten {
                tool.parameters = Vec::new();
            }
            // Compacted before the next file is read, so that the memory of parsed schemas is
            // reused. A server may never need most of them.
            tool.compact();
        }
        Arc::new(read)
    }

    /// The definition to use for a file: as it is now, or as it was when it was last valid. A file
    /// that was never valid contributes its valid tools.
    pub(crate) fn use_last_valid(
        &mut self,
        source: &SourceId,
        read: Arc<Definition>,
        stale: &mut Vec<SourceId>,
    ) -> Arc<Definition> {
        let is_broken = read.diagnostics.iter().any(Diagnostic::is_error);
        match self.last_valid.get(source) {
            Some(valid) if is_broken => {
                stale.push(source.clone());
                Arc::clone(valid)
            }
            // A file that was broken from the start: its valid tools are better than none.
            _ if is_broken => read,
            _ => {
                self.last_valid.insert(source.clone(), Arc::clone(&read));
                read
            }
        }
    }

    /// Forgets all other files: a deleted file is not a broken one, and its tools must go.
    pub(crate) fn retain(&mut self, sources: &HashSet<SourceId>) {
        self.last_valid.retain(|source, _| sources.contains(source));
    }
}

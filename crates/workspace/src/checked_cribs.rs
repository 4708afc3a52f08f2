//! Checks single files in the context of their cribs: with the configuration, guidance, bindings
//! and rules.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use catalog::{Catalog, SourceId};

use crate::{
    Crib, Environment, Loaded, Loader, OpenError,
    discover::{self, CONFIG},
};

/// Cache of loaded cribs, by folder.
#[derive(Default)]
pub(crate) struct CheckedCribs(HashMap<PathBuf, Loaded>);

impl CheckedCribs {
    /// The tools and problems of one file; `None` if no crib reads the file.
    pub(crate) fn check_file(
        &mut self,
        path: &Path,
        environment: &Environment,
    ) -> Result<Option<Loaded>, OpenError> {
        let Ok(real) = fs::canonicalize(path) else {
            return Ok(None);
        };
        let Some(folder) = find_crib(&real) else {
            return Ok(None);
        };
        if !self.0.contains_key(&folder) {
            let (crib, problems) = Crib::open_lenient(Some(&folder), environment)?;
            let mut loaded = Loader::default().load(&crib);
            loaded.diagnostics.splice(0..0, problems);
            self.0.insert(folder.clone(), loaded);
        }
        let own = SourceId::new(real.strip_prefix(&folder).unwrap_or(&real).to_string_lossy());
        Ok(self.0.get(&folder).map(|loaded| keep_file(loaded, &own, path)))
    }
}

/// The nearest crib above a file that reads it.
fn find_crib(file: &Path) -> Option<PathBuf> {
    let is_config = file.ends_with(CONFIG);
    let folders = file.ancestors().skip(1).filter(|folder| discover::is_crib(folder));
    let reads = |folder: &&Path| {
        let found = discover::find_candidates(folder);
        is_config || found.definitions.iter().chain(&found.guidance).any(|path| path == file)
    };
    folders.into_iter().find(reads).map(Path::to_owned)
}

/// Keeps the part of a crib that comes from one file, under the path that the user passed.
fn keep_file(crib: &Loaded, own: &SourceId, path: &Path) -> Loaded {
    let given = SourceId::new(path.to_string_lossy());
    let mut diagnostics = crib.diagnostics.clone();
    diagnostics.retain(|found| found.origin.source == *own);
    for origin in diagnostics
        .iter_mut()
        .flat_map(|found| [Some(&mut found.origin), found.also.as_mut()].into_iter().flatten())
    {
        if origin.source == *own {
            origin.source = given.clone();
        }
    }
    let tools = crib.catalog.tools().iter().filter(|tool| tool.origin.source == *own).cloned();
    let catalog = Catalog::merge(tools).0;
    let tools = catalog.tools().len();
    Loaded { catalog, diagnostics, files: 1, tools, ..Loaded::default() }
}

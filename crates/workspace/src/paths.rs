//! Reads files and folders that need not be cribs.
//!
//! A file that its crib serves is checked with the configuration, guidance and rules of the crib.
//! A folder with the layout of a crib is read as one. Any other folder is searched for files that
//! may be definitions. Files outside a crib are independent: the same tool in two of them is not a
//! conflict, except for specifications that differ.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use catalog::{Catalog, Diagnostic, SourceId, Tool};
use formats::{Document, Guidance};

use crate::{
    Crib, Environment, Files, Loaded, Loader, OpenError, allow,
    checked_cribs::CheckedCribs,
    definition::{self, Definition},
    discover, files,
    linting::Linting,
    parallel, prompts,
};

/// Reads and lints files and folders.
pub fn check_paths(paths: &[PathBuf], environment: &Environment) -> Result<Loaded, OpenError> {
    let context =
        lint::Context { crib: "crib".to_owned(), full_names: false, scope: lint::Scope::File };
    read_all(paths, environment, Linting::Enabled(&context))
}

/// Reads files and folders without linting: reports only parts that cannot be read, and leaves out
/// no tool for its quality.
pub fn read_paths(paths: &[PathBuf], environment: &Environment) -> Result<Loaded, OpenError> {
    read_all(paths, environment, Linting::Disabled)
}

fn read_all(
    paths: &[PathBuf],
    environment: &Environment,
    linting: Linting<'_>,
) -> Result<Loaded, OpenError> {
    let mut collected = CollectedFiles::default();
    let mut cribs = CheckedCribs::default();
    let (mut named, mut found) = (Vec::new(), Vec::new());
    for path in paths {
        let is_folder = files::is_folder(path)
            .map_err(|source| OpenError::Path { path: path.clone(), source })?;
        if !is_folder {
            match linting {
                Linting::Enabled(_) => match cribs.check_file(path, environment)? {
                    Some(loaded) => collected.add(loaded),
                    None => named.push(path.clone()),
                },
                Linting::Disabled => named.push(path.clone()),
            }
        // Named folders in a crib are read with its configuration, bindings and rules.
        } else if discover::is_crib(path) {
            collected.add(read_crib(path, environment, linting)?);
        } else {
            found.extend(discover::find_files(path));
        }
    }
    read_files(&named, Selection::Named, linting, &mut collected);
    read_files(&found, Selection::Found, linting, &mut collected);
    Ok(collected.into_loaded())
}

/// The files and cribs that were read, before their tools are merged.
#[derive(Default)]
struct CollectedFiles {
    loaded: Loaded,
    tools: Vec<Arc<Tool>>,
}

impl CollectedFiles {
    fn add(&mut self, mut read: Loaded) {
        self.loaded.files += read.files;
        self.loaded.tools += read.tools;
        self.loaded.diagnostics.append(&mut read.diagnostics);
        self.tools.extend(read.catalog.tools().iter().cloned());
    }

    /// Merges the tools. Of the conflicts, only diverged copies are reported: cribs report their
    /// own.
    fn into_loaded(mut self) -> Loaded {
        let (catalog, mut conflicts) = Catalog::merge(self.tools);
        conflicts.retain(|conflict| conflict.code == catalog::DIVERGED_COPY.code);
        self.loaded.catalog = catalog;
        self.loaded.diagnostics.extend(conflicts);
        self.loaded.sort_diagnostics();
        self.loaded
    }
}

/// Reads a crib. Its sources are named with the path of the folder as the user gave it.
fn read_crib(
    folder: &Path,
    environment: &Environment,
    linting: Linting<'_>,
) -> Result<Loaded, OpenError> {
    let (crib, problems) = Crib::open_lenient(Some(folder), environment)?;
    let mut loaded = match linting {
        Linting::Enabled(_) => Loader::default().load(&crib),
        Linting::Disabled => Loader::default().read(&crib),
    };
    loaded.files += usize::from(!problems.is_empty());
    // Problems of the configuration first: they may be the cause of the rest.
    loaded.diagnostics.splice(0..0, problems);
    let base = Files::new(folder);
    for diagnostic in &mut loaded.diagnostics {
        for origin in [Some(&mut diagnostic.origin), diagnostic.also.as_mut()].into_iter().flatten()
        {
            origin.source = SourceId::new(base.path(&origin.source).to_string_lossy());
        }
    }
    Ok(loaded)
}

/// How a file outside a crib was selected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Selection {
    /// The user named it.
    Named,
    /// It was found in a folder that the user named, possibly among files that are not definitions.
    Found,
}

impl Selection {
    /// Whether to read a file as a definition. Most Markdown is prose, so a file that was only
    /// found must be recognizable as a definition.
    fn includes(self, source: &SourceId, bytes: &[u8]) -> bool {
        self == Self::Named || formats::is_candidate(source, bytes)
    }

    /// Whether to read a file as a prompt. Markdown in a found `prompts` folder may be anything.
    fn is_prompt(self, path: &Path) -> bool {
        let is_markdown = path.extension().is_some_and(|extension| extension == "md");
        prompts::is_prompt(path) && (self == Self::Named || !is_markdown)
    }
}

fn read_files(
    paths: &[PathBuf],
    selection: Selection,
    linting: Linting<'_>,
    collected: &mut CollectedFiles,
) {
    let files = Files::new("");
    let (prompts, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| selection.is_prompt(path));
    for path in &prompts {
        let diagnostics = prompts::read_prompt_file(&files, path).1;
        collected.add(Loaded { diagnostics, files: 1, ..Loaded::default() });
    }
    let contents = parallel::map(&paths, |path| files.read(path));
    let mut texts = Vec::new();
    let mut documents = HashSet::new();
    for (path, content) in paths.iter().zip(&contents) {
        let source = files.name(path);
        match content.as_deref() {
            Ok(bytes)
                if selection == Selection::Found
                    && (!selection.includes(&source, bytes)
                        || is_copy(&source, bytes, &mut documents)) => {}
            Ok(bytes) => texts.push((path, source, bytes)),
            Err(problem) => {
                let diagnostics = vec![(**problem).clone()];
                collected.add(Loaded { diagnostics, files: 1, ..Loaded::default() });
            }
        }
    }
    collected.loaded.files += texts.len();
    let parsed =
        parallel::map_into(texts, |(path, source, bytes)| (path, Document::parse(&source, bytes)));
    let (guidance, definitions): (Vec<_>, Vec<_>) =
        parsed.into_iter().partition(|(_, document)| document.is_guidance());
    let guidance = merge_guidance(guidance, &mut collected.loaded.diagnostics);
    let read = parallel::map_into(definitions, |(path, document)| {
        read_definition(&files, path, document, &guidance, linting)
    });
    read.into_iter().for_each(|one| collected.add(one));
}

/// Whether a Markdown document has the same bytes as an earlier one.
fn is_copy<'b>(source: &SourceId, bytes: &'b [u8], documents: &mut HashSet<&'b [u8]>) -> bool {
    source.as_str().ends_with(".md") && !documents.insert(bytes)
}

fn merge_guidance(
    documents: Vec<(&PathBuf, Document<'_>)>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Guidance {
    let mut guidance = Guidance::default();
    for (_, document) in documents {
        let (read, problems) = document.read_guidance();
        guidance.merge(read);
        diagnostics.extend(problems);
    }
    guidance
}

/// Reads one definition as if it were the only one. The file count is left to the caller.
fn read_definition(
    files: &Files,
    path: &Path,
    document: Document<'_>,
    guidance: &Guidance,
    linting: Linting<'_>,
) -> Loaded {
    let folder = path.parent().unwrap_or(path);
    let read = Definition::from_document(document, guidance, linting, &|link| {
        definition::read_link(files, path, folder, link)
    });
    let mut loaded = Loaded { diagnostics: read.diagnostics, ..Loaded::default() };
    linting.build_catalog(read.tools, &HashMap::new(), &mut loaded);
    if let Linting::Enabled(_) = linting {
        allow::apply(
            &HashMap::from([(files.name(path), read.allowances)]),
            // Clauses of a configuration apply to its crib, and this file is in none.
            &[],
            &mut loaded.diagnostics,
        );
    }
    loaded
}

//! Reads files and folders that need not be cribs.
//!
//! A folder laid out as a crib is read as one, any other for all JSON and YAML files and Markdown specifications below it.
//! Loose files are taken each for itself: two versions of one tool beside each other are not a conflict, unless both are
//! documents of one folder.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use catalog::{Catalog, Diagnostic, SourceId};
use formats::{Document, Guidance};

use crate::{
    Crib, Environment, Files, Loaded, Loader, OpenError, allow,
    definition::{self, Definition},
    discover,
    judging::{Judging, sort},
    parallel, prompts,
};

/// Reads files and folders, and judges what is in them.
pub fn check_paths(paths: &[PathBuf], environment: &Environment) -> Result<Loaded, OpenError> {
    let context =
        lint::Context { crib: "crib".to_owned(), full_names: false, scope: lint::Scope::File };
    gather(paths, environment, Judging::Rules(&context))
}

/// Reads files and folders and judges nothing: only what cannot be read is told, and no tool is left out for what it says.
pub fn read_paths(paths: &[PathBuf], environment: &Environment) -> Result<Loaded, OpenError> {
    gather(paths, environment, Judging::Nothing)
}

fn gather(
    paths: &[PathBuf],
    environment: &Environment,
    judging: Judging<'_>,
) -> Result<Loaded, OpenError> {
    let mut loaded = Loaded::default();
    let (mut named, mut found) = (Vec::new(), Vec::new());
    for path in paths {
        let problem = |source| OpenError::Path { path: path.clone(), source };
        let about = std::fs::metadata(path).map_err(problem)?;
        match about.is_dir() {
            true if discover::is_crib(path) => {
                absorb(&mut loaded, read_crib(path, environment, judging)?)
            }
            true => found.extend(discover::below(path)),
            false => named.push(path.clone()),
        }
    }
    read_loose(&named, Loose::Named, judging, &mut loaded);
    read_loose(&found, Loose::Found, judging, &mut loaded);
    Ok(loaded)
}

/// A crib whose sources are named as the user named its folder.
fn read_crib(
    folder: &Path,
    environment: &Environment,
    judging: Judging<'_>,
) -> Result<Loaded, OpenError> {
    let (crib, problems) = Crib::open_lenient(Some(folder), environment)?;
    let mut loaded = match judging {
        Judging::Rules(_) => Loader::default().load(&crib),
        Judging::Nothing => Loader::default().read(&crib),
    };
    loaded.files += usize::from(!problems.is_empty());
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

fn absorb(into: &mut Loaded, other: Loaded) {
    into.files += other.files;
    into.tools += other.tools;
    into.diagnostics.extend(other.diagnostics);
    let tools = into.catalog.tools().iter().chain(other.catalog.tools()).cloned();
    into.catalog = Catalog::merge(tools).0;
}

/// How loose files were come by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loose {
    /// Somebody named them.
    Named,
    /// They lie in a folder that somebody named, among others that are no definitions.
    Found,
}

impl Loose {
    /// Whether a file is to be looked at: Markdown lies everywhere, so what was only found must be a specification.
    fn wants(self, source: &SourceId, bytes: &[u8]) -> bool {
        self == Self::Named || formats::is_candidate(source, bytes)
    }

    /// Whether a file is read as a prompt: Markdown only if somebody named it.
    fn is_prompt(self, path: &Path) -> bool {
        let is_markdown = path.extension().is_some_and(|extension| extension == "md");
        prompts::is_prompt(path) && (self == Self::Named || !is_markdown)
    }
}

fn read_loose(paths: &[PathBuf], loose: Loose, judging: Judging<'_>, loaded: &mut Loaded) {
    let files = Files::new("");
    let (prompts, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| loose.is_prompt(path));
    loaded.files += prompts.len();
    loaded.diagnostics.extend(prompts.iter().flat_map(|path| prompts::one(&files, path).1));
    let contents = parallel::map(&paths, |path| files.read(path));
    let (mut texts, mut checked) = (Vec::new(), Vec::new());
    let mut documents = HashSet::new();
    for (path, content) in paths.iter().zip(&contents) {
        let source = files.name(path);
        match content.as_deref() {
            Ok(bytes)
                if loose == Loose::Found
                    && (!loose.wants(&source, bytes)
                        || is_copy(&source, bytes, &mut documents)) => {}
            Ok(bytes) => texts.push((path, source, bytes)),
            Err(problem) => checked.push(only((**problem).clone())),
        }
    }
    loaded.files += texts.len() + checked.len();
    let parsed =
        parallel::map_into(texts, |(path, source, bytes)| (path, Document::parse(&source, bytes)));
    let (of_guidance, definitions): (Vec<_>, Vec<_>) =
        parsed.into_iter().partition(|(_, document)| document.is_guidance());
    let mut guidance = Guidance::default();
    for (_, document) in of_guidance {
        let (read, problems) = document.guidance();
        guidance.merge(read);
        checked.extend(problems.into_iter().map(only));
    }
    checked.extend(parallel::map_into(definitions, |(path, document)| {
        read_one(&files, path, document, &guidance, judging)
    }));
    combine(checked, loose, loaded);
}

/// Nothing but a problem.
fn only(problem: Diagnostic) -> Loaded {
    Loaded { diagnostics: vec![problem], ..Loaded::default() }
}

/// Whether a document was there before, byte for byte.
fn is_copy<'b>(source: &SourceId, bytes: &'b [u8], documents: &mut HashSet<&'b [u8]>) -> bool {
    source.as_str().ends_with(".md") && !documents.insert(bytes)
}

/// Reads one definition as if it were all there is.
fn read_one(
    files: &Files,
    path: &Path,
    document: Document<'_>,
    guidance: &Guidance,
    judging: Judging<'_>,
) -> Loaded {
    let within = path.parent().unwrap_or(path);
    let read = Definition::of(document, guidance, judging, &|link| {
        definition::linked(files, path, within, link)
    });
    let mut loaded = Loaded { diagnostics: read.diagnostics, ..Loaded::default() };
    judging.finish(read.tools, &mut loaded);
    if let Judging::Rules(_) = judging {
        allow::apply(
            &HashMap::from([(files.name(path), read.allowances)]),
            &[],
            &mut loaded.diagnostics,
        );
    }
    loaded
}

/// Puts what was read of each file together.
fn combine(read: Vec<Loaded>, loose: Loose, loaded: &mut Loaded) {
    let mut tools = Vec::new();
    for mut one in read {
        loaded.tools += one.tools;
        loaded.diagnostics.append(&mut one.diagnostics);
        tools.extend(one.catalog.tools().iter().cloned());
    }
    let (catalog, conflicts) = Catalog::merge(loaded.catalog.tools().iter().cloned().chain(tools));
    loaded.catalog = catalog;
    let diverged = conflicts
        .into_iter()
        .filter(|found| loose == Loose::Found && found.code == catalog::DIVERGED_COPY.code);
    loaded.diagnostics.extend(diverged);
    sort(&mut loaded.diagnostics);
}

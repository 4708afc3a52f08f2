//! Reads the definitions of a crib into a catalog, and reads them again.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use catalog::{Catalog, Diagnostic, Place, Severity, SourceId, Tool};
use formats::{Guidance, Prompt};

use crate::{
    Content, Crib, Files, Groups, allow, bind, content, crib,
    definition::{self, Definition},
    discover, flags, house, parallel, policy, prompts,
    prompts::PromptLoader,
};

/// What was read.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The tools without an error.
    pub catalog: Catalog,
    /// Every problem found, by source and place.
    pub diagnostics: Vec<Diagnostic>,
    /// How many definition files were read.
    pub files: usize,
    /// How many tools without an error were found in them.
    pub tools: usize,
    /// The prompts, each of another name.
    pub prompts: Vec<Prompt>,
    /// The documents that can be found.
    pub content: Content,
    /// The sources that were broken, and of which the last good version is kept.
    pub kept: Vec<SourceId>,
}

impl Loaded {
    /// How many diagnostics are this bad.
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }
}

/// Reads a crib, and remembers the last good version of each file.
#[derive(Debug, Default)]
pub struct Loader {
    good: BTreeMap<SourceId, Vec<Arc<Tool>>>,
    prompts: PromptLoader,
    groups: Groups,
}

impl Loader {
    /// Reads all definitions and keeps the tools of these groups.
    pub fn only(groups: Groups) -> Self {
        Self { groups, ..Self::default() }
    }

    /// Reads all definitions of a crib.
    pub fn load(&mut self, crib: &Crib) -> Loaded {
        let files = crib.files();
        let found = discover::in_crib(&crib.folder);
        let mut loaded = Loaded { files: found.guidance.len() + found.definitions.len(), ..Loaded::default() };
        let guidance = read_guidance(&files, &found.guidance, &mut loaded.diagnostics);
        let context = lint::Context { crib: crib.name(), full_names: crib.config.crib.full_names, scope: lint::Scope::Crib };
        let mut tools = Vec::new();
        let mut seen = HashSet::new();
        let mut documents = HashSet::new();
        let mut allowed = HashMap::new();
        let all = parallel::map(&found.definitions, |path| Definition::read(&files, path, &guidance, &context, &crib.folder));
        for (path, read) in found.definitions.iter().zip(all) {
            let source = files.name(path);
            if read.document.is_some_and(|document| !documents.insert(document)) {
                // An identical copy of a document counts once.
                loaded.files -= 1;
                continue;
            }
            let broken = read.diagnostics.iter().any(Diagnostic::is_error);
            loaded.diagnostics.extend(read.diagnostics);
            tools.extend(self.newest(&source, read.tools, broken, &mut loaded.kept));
            allowed.insert(source.clone(), read.allowances);
            seen.insert(source);
        }
        self.good.retain(|source, _| seen.contains(source));
        bind::apply(&crib.bind, &crib.folder, &mut tools, &mut loaded.diagnostics);
        finish(tools, &context, &mut loaded);
        judge(crib, &mut loaded);
        if !self.groups.is_everything() {
            let wanted = loaded.catalog.tools().iter().filter(|tool| self.groups.admit(tool)).cloned();
            loaded.catalog = Catalog::merge(wanted).0;
            loaded.tools = loaded.catalog.tools().len();
        }
        let source = SourceId::new(crib::CONFIG);
        let clauses = &crib.config.policy;
        loaded.diagnostics.extend(policy::check(&source, clauses, &crib.policy, &loaded.catalog, SystemTime::now()));
        loaded.diagnostics.extend(flags::check(&source, &crib.config.switch, &crib.switches, &loaded.catalog));
        let (content, problems) = content::read(&source, crib);
        loaded.content = content;
        loaded.diagnostics.extend(problems);
        self.load_prompts(crib, &mut loaded);
        allow::apply(&allowed, &crib.allow, &mut loaded.diagnostics);
        sort(&mut loaded.diagnostics);
        loaded
    }

    fn load_prompts(&mut self, crib: &Crib, loaded: &mut Loaded) {
        let read = self.prompts.load(crib);
        loaded.files += read.files;
        loaded.kept.extend(read.kept);
        loaded.diagnostics.extend(read.diagnostics);
        loaded.diagnostics.extend(prompts::unknown_tools(&read.prompts, &loaded.catalog));
        loaded.prompts = read.prompts;
    }

    /// The tools of a file: what was read now, or what was read last if that was good and this is not.
    fn newest(&mut self, source: &SourceId, read: Vec<Arc<Tool>>, broken: bool, kept: &mut Vec<SourceId>) -> Vec<Arc<Tool>> {
        match self.good.get(source) {
            Some(good) if broken => {
                kept.push(source.clone());
                good.clone()
            }
            _ if broken => read,
            _ => {
                self.good.insert(source.clone(), read.clone());
                read
            }
        }
    }
}

/// Reads files and folders that need not be cribs. A folder laid out as a crib is read as one, any
/// other for all JSON and YAML files and Markdown specifications below it. Loose files are checked each
/// for itself: two versions of one tool beside each other are not a conflict, unless both are documents
/// of one folder.
pub fn check_paths(paths: &[PathBuf], environment: &crate::Environment) -> Result<Loaded, crib::OpenError> {
    let mut loaded = Loaded::default();
    let (mut named, mut found) = (Vec::new(), Vec::new());
    for path in paths {
        let problem = |source| crib::OpenError::Path { path: path.clone(), source };
        let about = std::fs::metadata(path).map_err(problem)?;
        match about.is_dir() {
            true if discover::is_crib(path) => absorb(&mut loaded, read_crib(path, environment)?),
            true => found.extend(discover::below(path)),
            false => named.push(path.clone()),
        }
    }
    check_loose(&named, Loose::Named, &mut loaded);
    check_loose(&found, Loose::Found, &mut loaded);
    Ok(loaded)
}

/// A crib whose sources are named as the user named its folder.
fn read_crib(folder: &Path, environment: &crate::Environment) -> Result<Loaded, crib::OpenError> {
    let mut loaded = match Crib::open(Some(folder), environment) {
        Ok(crib) => Loader::default().load(&crib),
        Err(crib::OpenError::Config { diagnostics, .. }) => Loaded { diagnostics, files: 1, ..Loaded::default() },
        Err(error) => return Err(error),
    };
    let base = Files::new(folder);
    for diagnostic in &mut loaded.diagnostics {
        for origin in [Some(&mut diagnostic.origin), diagnostic.also.as_mut()].into_iter().flatten() {
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
        self == Self::Named || !source.as_str().ends_with(".md") || formats::is_specification(source, bytes)
    }

    /// Whether a file is read as a prompt: Markdown only if somebody named it.
    fn is_prompt(self, path: &Path) -> bool {
        let is_markdown = path.extension().is_some_and(|extension| extension == "md");
        prompts::is_prompt(path) && (self == Self::Named || !is_markdown)
    }
}

fn check_loose(paths: &[PathBuf], loose: Loose, loaded: &mut Loaded) {
    let files = Files::new("");
    let (prompts, paths): (Vec<PathBuf>, Vec<PathBuf>) = paths.iter().cloned().partition(|path| loose.is_prompt(path));
    loaded.files += prompts.len();
    loaded.diagnostics.extend(prompts.iter().flat_map(|path| prompts::one(&files, path).1));
    let paths = paths.as_slice();
    let contents = parallel::map(paths, |path| {
        let bytes = files.read(path);
        let is_guidance = bytes.as_deref().is_ok_and(formats::is_guidance);
        (bytes, is_guidance)
    });
    let mut guidance = Guidance::default();
    let mut definitions = Vec::new();
    let mut documents = HashSet::new();
    let mut checked = Vec::new();
    for (path, (bytes, is_guidance)) in paths.iter().zip(&contents) {
        let source = files.name(path);
        match bytes.as_deref() {
            Ok(bytes) if *is_guidance => {
                let (read, problems) = formats::read_guidance(&source, bytes);
                guidance.merge(read);
                checked.push(Loaded { diagnostics: problems, ..Loaded::default() });
            }
            Ok(bytes) if loose == Loose::Found && (!loose.wants(&source, bytes) || is_copy(&source, bytes, &mut documents)) => {}
            Ok(bytes) => definitions.push((path, bytes)),
            Err(problem) => checked.push(Loaded { diagnostics: vec![(**problem).clone()], ..Loaded::default() }),
        }
    }
    loaded.files += definitions.len() + checked.len();
    checked.extend(parallel::map(&definitions, |(path, bytes)| check_alone(&files, path, bytes, &guidance)));
    let mut tools = Vec::new();
    for mut one in checked {
        loaded.tools += one.tools;
        loaded.diagnostics.append(&mut one.diagnostics);
        tools.extend(one.catalog.tools().iter().cloned());
    }
    let (catalog, conflicts) = Catalog::merge(loaded.catalog.tools().iter().cloned().chain(tools));
    loaded.catalog = catalog;
    let diverged = conflicts.into_iter().filter(|found| loose == Loose::Found && found.code == catalog::DIVERGED_COPY.code);
    loaded.diagnostics.extend(diverged);
    sort(&mut loaded.diagnostics);
}

/// Whether a document was there before, byte for byte.
fn is_copy<'b>(source: &SourceId, bytes: &'b [u8], documents: &mut HashSet<&'b [u8]>) -> bool {
    source.as_str().ends_with(".md") && !documents.insert(bytes)
}

/// Reads and lints one definition as if it were all there is.
fn check_alone(files: &Files, path: &Path, bytes: &[u8], guidance: &Guidance) -> Loaded {
    let source = files.name(path);
    let within = path.parent().unwrap_or(path);
    let context = lint::Context { crib: "crib".to_owned(), full_names: false, scope: lint::Scope::File };
    let read = Definition::of(&source, bytes, guidance, &context, &|link| definition::linked(files, path, within, link));
    let mut loaded = Loaded { diagnostics: read.diagnostics, ..Loaded::default() };
    finish(read.tools, &context, &mut loaded);
    allow::apply(&HashMap::from([(source, read.allowances)]), &[], &mut loaded.diagnostics);
    loaded
}

/// Reads and judges a text as if it were a definition of the crib, by the crib's rules too. Nothing that it links to is
/// read.
pub fn check_text(crib: &Crib, name: &str, text: &str) -> Loaded {
    let source = SourceId::new(name);
    let nothing: formats::Linked<'_> = &|_| Err("linked files are not read here".to_owned());
    let context = lint::Context { crib: crib.name(), full_names: crib.config.crib.full_names, scope: lint::Scope::File };
    let read = Definition::of(&source, text.as_bytes(), &Guidance::default(), &context, nothing);
    let mut loaded = Loaded { diagnostics: read.diagnostics, files: 1, ..Loaded::default() };
    finish(read.tools, &context, &mut loaded);
    judge(crib, &mut loaded);
    allow::apply(&HashMap::from([(source.clone(), read.allowances)]), &crib.allow, &mut loaded.diagnostics);
    // What is said of the configuration is not about this text.
    loaded.diagnostics.retain(|found| found.origin.source == source);
    sort(&mut loaded.diagnostics);
    loaded
}

/// Applies the crib's own rules.
fn judge(crib: &Crib, loaded: &mut Loaded) {
    if !crib.rules.is_empty() {
        let (catalog, found) = house::check(&crib.rules, &loaded.catalog);
        loaded.tools = catalog.tools().len();
        loaded.catalog = catalog;
        loaded.diagnostics.extend(found);
    }
}

fn read_guidance(files: &Files, paths: &[PathBuf], diagnostics: &mut Vec<Diagnostic>) -> Guidance {
    let mut guidance = Guidance::default();
    for path in paths {
        match files.read(path) {
            Ok(bytes) => {
                let (read, problems) = formats::read_guidance(&files.name(path), &bytes);
                guidance.merge(read);
                diagnostics.extend(problems);
            }
            Err(problem) => diagnostics.push(*problem),
        }
    }
    guidance
}

/// Merges and lints, and leaves out every tool that has an error.
fn finish(tools: Vec<Arc<Tool>>, context: &lint::Context, loaded: &mut Loaded) {
    let (catalog, conflicts) = Catalog::merge(tools);
    let each = parallel::flat_map(catalog.tools(), |tools| lint::check_each(tools, context));
    let found = lint::check_together(&catalog, context, each);
    loaded.catalog = match found.broken.is_empty() {
        true => catalog,
        false => Catalog::merge(catalog.tools().iter().filter(|tool| !found.broken.contains(&tool.name)).cloned()).0,
    };
    loaded.tools = loaded.catalog.tools().len();
    loaded.diagnostics.extend(conflicts);
    loaded.diagnostics.extend(found.diagnostics);
    // A tool that could be read in part may have said what another with the same parts says.
    let mut seen = HashSet::new();
    loaded.diagnostics.retain(|of| seen.insert((of.code, of.origin.clone(), of.message.clone())));
    sort(&mut loaded.diagnostics);
}

fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| (&a.origin.source, place(a)).cmp(&(&b.origin.source, place(b))));
}

/// Problems with the text come first, then those with values in the order of their pointers.
fn place(diagnostic: &Diagnostic) -> (usize, &str) {
    match &diagnostic.origin.place {
        Place::Whole => (0, ""),
        Place::Offset(offset) => (*offset, ""),
        Place::Span(span) => (span.start, ""),
        Place::Value(pointer) | Place::Key(pointer) => (usize::MAX, pointer),
    }
}

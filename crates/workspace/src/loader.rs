//! Reads the definitions of a crib into a catalog, and reads them again.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::PathBuf,
    sync::Arc,
    time::SystemTime,
};

use catalog::{Allowance, Catalog, Diagnostic, Severity, SourceId, Tool};
use formats::{Document, Guidance, Prompt};

use crate::{
    Content, Crib, Files, Groups, allow, bind, content, crib, custom_rules,
    definition::Definition,
    discover, flags,
    judging::{Judging, sort},
    parallel, policy, prompts,
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
    pub stale: Vec<SourceId>,
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
    pub fn with_groups(groups: Groups) -> Self {
        Self { groups, ..Self::default() }
    }

    /// Reads all definitions of a crib, and judges them and what belongs to them.
    pub fn load(&mut self, crib: &Crib) -> Loaded {
        let context = lint::Context {
            crib: crib.name(),
            full_names: crib.config.crib.full_names,
            scope: lint::Scope::Crib,
        };
        let (mut loaded, allowed) = self.read_definitions(crib, Judging::Rules(&context));
        judge(crib, &mut loaded);
        if !self.groups.is_unrestricted() {
            loaded.catalog = loaded.catalog.filter(|tool| self.groups.includes(tool));
            loaded.tools = loaded.catalog.tools().len();
        }
        let source = SourceId::new(crib::CONFIG);
        let clauses = &crib.config.policy;
        loaded.diagnostics.extend(policy::check(
            &source,
            clauses,
            &crib.policy,
            &loaded.catalog,
            SystemTime::now(),
        ));
        loaded.diagnostics.extend(flags::check(
            &source,
            &crib.config.switch,
            &crib.switches,
            &loaded.catalog,
        ));
        let (content, problems) = content::read(&source, crib);
        loaded.content = content;
        loaded.diagnostics.extend(problems);
        self.load_prompts(crib, &mut loaded);
        allow::apply(&allowed, &crib.allow, &mut loaded.diagnostics);
        sort(&mut loaded.diagnostics);
        loaded
    }

    /// Reads all definitions of a crib and judges nothing: its diagnostics are those of the readers.
    pub(crate) fn read(&mut self, crib: &Crib) -> Loaded {
        self.read_definitions(crib, Judging::Nothing).0
    }

    /// The tools of a crib, and what its documents allow themselves.
    fn read_definitions(
        &mut self,
        crib: &Crib,
        judging: Judging<'_>,
    ) -> (Loaded, HashMap<SourceId, Vec<Allowance>>) {
        let files = crib.files();
        let found = discover::in_crib(&crib.folder);
        let mut loaded =
            Loaded { files: found.guidance.len() + found.definitions.len(), ..Loaded::default() };
        let guidance = read_guidance(&files, &found.guidance, &mut loaded.diagnostics);
        let mut tools = Vec::new();
        let mut seen = HashSet::new();
        let mut documents = HashSet::new();
        let mut allowed = HashMap::new();
        let all = parallel::map(&found.definitions, |path| {
            Definition::read(&files, path, &guidance, judging, &crib.folder)
        });
        for (path, read) in found.definitions.iter().zip(all) {
            let source = files.name(path);
            if read.document.is_some_and(|document| !documents.insert(document)) {
                // An identical copy of a document counts once.
                loaded.files -= 1;
                continue;
            }
            let broken = read.diagnostics.iter().any(Diagnostic::is_error);
            loaded.diagnostics.extend(read.diagnostics);
            tools.extend(self.newest(&source, read.tools, broken, &mut loaded.stale));
            allowed.insert(source.clone(), read.allowances);
            seen.insert(source);
        }
        self.good.retain(|source, _| seen.contains(source));
        bind::apply(&crib.bind, &crib.folder, &mut tools, &mut loaded.diagnostics);
        judging.finish(tools, &mut loaded);
        (loaded, allowed)
    }

    fn load_prompts(&mut self, crib: &Crib, loaded: &mut Loaded) {
        let read = self.prompts.load(crib);
        loaded.files += read.files;
        loaded.stale.extend(read.stale);
        loaded.diagnostics.extend(read.diagnostics);
        loaded.diagnostics.extend(prompts::unknown_tools(&read.prompts, &loaded.catalog));
        loaded.prompts = read.prompts;
    }

    /// The tools of a file: what was read now, or what was read last if that was good and this is not.
    fn newest(
        &mut self,
        source: &SourceId,
        read: Vec<Arc<Tool>>,
        broken: bool,
        kept: &mut Vec<SourceId>,
    ) -> Vec<Arc<Tool>> {
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

/// Reads and judges a text as if it were a definition of the crib, by the crib's rules too. Nothing that it links to is
/// read.
pub fn check_text(crib: &Crib, name: &str, text: &str) -> Loaded {
    let source = SourceId::new(name);
    let nothing: formats::Linked<'_> = &|_| Err("linked files are not read here".to_owned());
    let context = lint::Context {
        crib: crib.name(),
        full_names: crib.config.crib.full_names,
        scope: lint::Scope::File,
    };
    let judging = Judging::Rules(&context);
    let document = Document::parse(&source, text.as_bytes());
    let read = Definition::of(document, &Guidance::default(), judging, nothing);
    let mut loaded = Loaded { diagnostics: read.diagnostics, files: 1, ..Loaded::default() };
    judging.finish(read.tools, &mut loaded);
    judge(crib, &mut loaded);
    allow::apply(
        &HashMap::from([(source.clone(), read.allowances)]),
        &crib.allow,
        &mut loaded.diagnostics,
    );
    // What is said of the configuration is not about this text.
    loaded.diagnostics.retain(|found| found.origin.source == source);
    sort(&mut loaded.diagnostics);
    loaded
}

/// Applies the crib's own rules.
fn judge(crib: &Crib, loaded: &mut Loaded) {
    if !crib.rules.is_empty() {
        let (catalog, found) = custom_rules::check(&crib.rules, &loaded.catalog);
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

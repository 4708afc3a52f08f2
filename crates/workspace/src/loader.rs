//! Reads the definitions of a crib into a catalog.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use catalog::{Allowance, Diagnostic, SourceId};
use formats::{Document, Guidance};

use crate::{
    Crib, Files, Groups, Loaded, allow, bind, content, custom_rules,
    definition::Definition,
    definition_cache::{DefinitionCache, ParameterLocations},
    discover, flags,
    linting::{FindingsByTool, Linting, address_of},
    misplaced, policy, program_names, prompts,
    prompts::PromptLoader,
    python_functions, r_packages, tool_profiles, unconfined,
};

/// Reads a crib, possibly many times, and remembers the last valid version of each file.
#[derive(Debug, Default)]
pub struct Loader {
    definitions: DefinitionCache,
    prompts: PromptLoader,
    groups: Groups,
}

impl Loader {
    /// A loader that keeps only the tools of these groups.
    pub fn with_groups(groups: Groups) -> Self {
        Self { groups, ..Self::default() }
    }

    /// Forgets where parameters are defined once they are linted. For servers, which report no
    /// problem of a definition later.
    pub fn forget_parameter_locations(&mut self) {
        self.definitions.locations = ParameterLocations::Forgotten;
    }

    /// Reads and lints all definitions, prompts and documents of a crib, and checks its
    /// configuration against them.
    pub fn load(&mut self, crib: &Crib) -> Loaded {
        let context = lint_context(crib, lint::Scope::Crib);
        let (mut loaded, allowances) = self.read_definitions(crib, Linting::Enabled(&context));
        // Applied after the built-in rules, so that conditions see only tools that are valid.
        apply_custom_rules(crib, &mut loaded);
        if !self.groups.is_unrestricted() {
            let all = loaded.catalog.tools().iter().map(|tool| &**tool);
            if let Some(problem) = self.groups.describe_unmatched(all) {
                tracing::warn!("{problem}");
            }
            loaded.catalog = loaded.catalog.filter(|tool| self.groups.includes(tool));
            loaded.tools = loaded.catalog.tools().len();
        }
        let files = crib.files();
        loaded.diagnostics.extend(misplaced::find(&files, &crib.folder));
        let found = python_functions::check(&files, &crib.folder, &loaded.catalog);
        loaded.diagnostics.extend(found);
        // Checked after groups are applied, because a policy for a tool that is not served is
        // useless.
        check_config(crib, &mut loaded);
        self.load_prompts(crib, &mut loaded);
        // Applied last, when all diagnostics exist that could be allowed.
        allow::apply(&allowances, &crib.allow, &mut loaded.diagnostics);
        loaded.sort_diagnostics();
        loaded
    }

    /// Reads all definitions of a crib without linting them.
    pub(crate) fn read(&mut self, crib: &Crib) -> Loaded {
        let mut loaded = self.read_definitions(crib, Linting::Disabled).0;
        loaded.sort_diagnostics();
        loaded
    }

    /// Reads the tools of a crib, and the allowances in its documents.
    fn read_definitions(
        &mut self,
        crib: &Crib,
        linting: Linting<'_>,
    ) -> (Loaded, HashMap<SourceId, Vec<Allowance>>) {
        let files = crib.files();
        let mut found = discover::find_candidates(&crib.folder);
        let (packaged, problems) = r_packages::find_definitions(crib);
        found.definitions.extend(packaged);
        let files_read = found.guidance.len() + found.definitions.len();
        let mut loaded = Loaded { files: files_read, diagnostics: problems, ..Loaded::default() };
        let guidance = read_guidance(&files, &found.guidance, &mut loaded.diagnostics);
        let mut used = Vec::new();
        let mut seen = HashSet::new();
        let mut documents = HashSet::new();
        let mut allowances = HashMap::new();
        let definitions = self.definitions.read_files(crib, &found.definitions, guidance, linting);
        for (path, read) in found.definitions.iter().zip(definitions) {
            let source = files.name(path);
            // Repositories often contain the same specification several times, in examples and
            // packages.
            if read.is_document && !documents.insert(read.digest) {
                // An identical copy of a document that was already counted.
                loaded.files -= 1;
                continue;
            }
            loaded.diagnostics.extend_from_slice(&read.diagnostics);
            allowances.insert(source.clone(), read.allowances.clone());
            used.push(self.definitions.use_last_valid(&source, read, &mut loaded.stale));
            seen.insert(source);
        }
        self.definitions.retain(&seen);
        let mut tools: Vec<_> =
            used.iter().flat_map(|definition| &definition.tools).cloned().collect();
        // Bound before merging, so that all documents that describe a tool are bound alike.
        bind::apply(&crib.bind, &crib.folder, &mut tools, &mut loaded.diagnostics);
        linting.build_catalog(tools, &index_findings(&used), &mut loaded);
        (loaded, allowances)
    }

    fn load_prompts(&mut self, crib: &Crib, loaded: &mut Loaded) {
        let read = self.prompts.load(crib);
        loaded.files += read.files;
        loaded.stale.extend(read.stale);
        loaded.diagnostics.extend(read.diagnostics);
        loaded.diagnostics.extend(prompts::report_unknown_tools(&read.prompts, &loaded.catalog));
        loaded.prompts = read.prompts;
    }
}

/// The findings of definitions whose tools were linted when they were read.
fn index_findings(definitions: &[Arc<Definition>]) -> FindingsByTool<'_> {
    let each = definitions.iter().flat_map(|read| read.tools.iter().zip(&read.findings));
    each.map(|(tool, found)| (address_of(tool), found.as_slice())).collect()
}

/// Reads and lints a text as if it were a definition file of the crib, with the crib's guidance,
/// bindings, rules and other tools. It replaces tools of the crib with the same names, because it
/// may be the edited text of one of its files. Links in it are not followed.
pub fn check_text(crib: &Crib, name: &str, text: &str) -> Loaded {
    let source = SourceId::new(name);
    let read_link: formats::ReadLink<'_> = &|_| Err("links are not followed here".to_owned());
    let context = lint_context(crib, lint::Scope::Crib);
    let linting = Linting::Enabled(&context);
    let document = Document::parse(&source, text.as_bytes());
    let guidance = discover::find_candidates(&crib.folder).guidance;
    let guidance = read_guidance(&crib.files(), &guidance, &mut Vec::new());
    let read = Definition::from_document(document, &guidance, linting, read_link);
    let mut loaded = Loaded { diagnostics: read.diagnostics, files: 1, ..Loaded::default() };
    let mut tools = read.tools;
    bind::apply(&crib.bind, &crib.folder, &mut tools, &mut loaded.diagnostics);
    let own: HashSet<_> = tools.iter().map(|tool| tool.name.clone()).collect();
    let others = Loader::default().read(crib).catalog;
    tools.extend(others.tools().iter().filter(|tool| !own.contains(&tool.name)).cloned());
    linting.build_catalog(tools, &HashMap::new(), &mut loaded);
    apply_custom_rules(crib, &mut loaded);
    loaded.catalog = loaded.catalog.filter(|tool| own.contains(&tool.name));
    loaded.tools = loaded.catalog.tools().len();
    let in_code = python_functions::check(&crib.files(), &crib.folder, &loaded.catalog);
    allow::apply(
        &HashMap::from([(source.clone(), read.allowances)]),
        &crib.allow,
        &mut loaded.diagnostics,
    );
    // Clauses of the configuration that are useless for this text may be useful for other files.
    loaded.diagnostics.retain(|found| found.origin.source == source);
    loaded.diagnostics.extend(in_code);
    loaded.sort_diagnostics();
    loaded
}

fn lint_context(crib: &Crib, scope: lint::Scope) -> lint::Context {
    lint::Context { crib: crib.name(), full_names: crib.config.crib.full_names, scope }
}

fn apply_custom_rules(crib: &Crib, loaded: &mut Loaded) {
    if !crib.rules.is_empty() {
        let (catalog, found) = custom_rules::check(&crib.rules, &loaded.catalog);
        loaded.tools = catalog.tools().len();
        loaded.catalog = catalog;
        loaded.diagnostics.extend(found);
    }
}

/// Checks the parts of the configuration that refer to tools and folders.
fn check_config(crib: &Crib, loaded: &mut Loaded) {
    let source = SourceId::new(discover::CONFIG);
    let config = &crib.config;
    let now = SystemTime::now();
    let found = policy::check(&source, &config.policy, &crib.policy, &loaded.catalog, now);
    loaded.diagnostics.extend(found);
    let found = flags::check(&source, &config.switch, &crib.switches, &loaded.catalog);
    loaded.diagnostics.extend(found);
    let found = tool_profiles::check(&source, &config.profile, &loaded.catalog);
    loaded.diagnostics.extend(found);
    let resolve = |folder: &Path| crib.resolve(folder);
    let (content, found) = content::compile(&source, config.content.as_ref(), &resolve);
    loaded.content = content;
    loaded.diagnostics.extend(found);
    loaded.diagnostics.extend(r_packages::check_document_packages(crib));
    // The file is read again, because the parsed configuration has no locations of these values.
    let bytes = crib.files().read(&crib.folder.join(discover::CONFIG)).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    loaded.diagnostics.extend(unconfined::find_missing_sandbox(&source, &text, config));
    let found = program_names::find_useless(&source, &text, config, &loaded.catalog);
    loaded.diagnostics.extend(found);
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

//! Finds, reads and checks the prompts of a crib.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};

use catalog::{Catalog, Diagnostic, SourceId, closest};
use formats::{DUPLICATE_PROMPT, Prompt, UNKNOWN_PROMPT_TOOL, read_prompt, read_workflow};

use crate::{Crib, Files, discover, native_names::native_names};

/// The conventional folders of prompts and workflows.
const PROMPTS: &str = discover::PROMPT_FOLDERS[0];
const WORKFLOWS: &str = discover::PROMPT_FOLDERS[1];

/// The existing folders of a crib with prompts, in order of precedence: `prompts/`, the configured
/// folders, the workflows of an R package.
pub(crate) fn prompt_folders(crib: &Crib) -> Vec<PathBuf> {
    let configured = crib.config.prompts.dirs.iter().map(|dir| crib.resolve(dir));
    let all = [crib.folder.join(PROMPTS)]
        .into_iter()
        .chain(configured)
        .chain([crib.folder.join(WORKFLOWS)]);
    all.filter(|folder| folder.is_dir()).collect()
}

/// Reads prompts, and remembers the last valid version of each file.
#[derive(Debug, Default)]
pub(crate) struct PromptLoader {
    last_valid: BTreeMap<SourceId, Prompt>,
}

/// The prompts that were read.
#[derive(Default)]
pub(crate) struct LoadedPrompts {
    pub(crate) prompts: Vec<Prompt>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) files: usize,
    /// Broken sources whose last valid version is used.
    pub(crate) stale: Vec<SourceId>,
}

impl PromptLoader {
    pub(crate) fn load(&mut self, crib: &Crib) -> LoadedPrompts {
        let files = crib.files();
        let mut paths: Vec<_> = prompt_folders(crib)
            .iter()
            .flat_map(|folder| discover::list_files(folder, &["md", "yaml", "yml"]))
            .collect();
        // A configured folder may be one of the conventional ones.
        let mut seen = HashSet::new();
        paths.retain(|path| seen.insert(path.clone()));
        let mut read = LoadedPrompts { files: paths.len(), ..LoadedPrompts::default() };
        let mut sources = HashSet::new();
        for path in &paths {
            let source = files.name(path);
            let (prompt, found) = read_prompt_file(&files, path);
            read.diagnostics.extend(found);
            match prompt {
                Some(prompt) => {
                    self.last_valid.insert(source.clone(), prompt);
                }
                None if self.last_valid.contains_key(&source) => read.stale.push(source.clone()),
                None => {}
            }
            if let Some(prompt) = self.last_valid.get(&source) {
                add(prompt.clone(), &mut read);
            }
            sources.insert(source);
        }
        // Prompts of deleted files must go, unlike those of broken ones.
        self.last_valid.retain(|source, _| sources.contains(source));
        read
    }
}

/// Adds a prompt, or reports it if its name is taken.
fn add(prompt: Prompt, read: &mut LoadedPrompts) {
    match read.prompts.iter().find(|other| other.name == prompt.name) {
        None => read.prompts.push(prompt),
        Some(first) => {
            let message = format!(
                "the prompt `{}` is already defined in {}",
                prompt.name, first.origin.source
            );
            read.diagnostics.push(
                Diagnostic::new(&DUPLICATE_PROMPT, prompt.origin, message)
                    .hint("rename one of them"),
            );
        }
    }
}

/// Reads one file: Markdown as a prompt, YAML as a workflow.
pub(crate) fn read_prompt_file(files: &Files, path: &Path) -> (Option<Prompt>, Vec<Diagnostic>) {
    let source = files.name(path);
    match files.read(path) {
        Err(problem) => (None, vec![*problem]),
        Ok(bytes) if path.extension().is_some_and(|extension| extension == "md") => {
            read_prompt(&source, &bytes)
        }
        Ok(bytes) => read_workflow(&source, &bytes),
    }
}

/// Whether a file outside a crib is a prompt, by the name of its folder.
pub(crate) fn is_prompt(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("md") => folder == PROMPTS,
        // Elsewhere YAML is more likely a tool definition.
        Some("yaml" | "yml") => folder == "workflows",
        _ => false,
    }
}

/// Reports tools that prompts refer to and that do not exist.
pub(crate) fn report_unknown_tools(prompts: &[Prompt], catalog: &Catalog) -> Vec<Diagnostic> {
    let known = || {
        let native = native_names().map(|name| -> &str { name });
        catalog.tools().iter().map(|tool| tool.name.as_str()).chain(native)
    };
    let is_unknown = |tool: &&formats::ToolReference| known().all(|name| name != tool.name);
    let report = |tool: &formats::ToolReference| {
        let near = closest(&tool.name, known()).map(|near| format!("did you mean `{near}`?"));
        let hint = near.unwrap_or_else(|| "`toolcrib list` shows the names".to_owned());
        let message = format!("there is no tool `{}`", tool.name);
        Diagnostic::new(&UNKNOWN_PROMPT_TOOL, tool.origin.clone(), message).hint(hint)
    };
    prompts.iter().flat_map(|prompt| &prompt.tools).filter(is_unknown).map(report).collect()
}

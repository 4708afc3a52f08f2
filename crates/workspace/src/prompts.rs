//! The prompts of a crib: found, read, and held against the tools that there are.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};

use catalog::{Catalog, Diagnostic, SourceId, closest, name};
use formats::{DUPLICATE_PROMPT, Prompt, UNKNOWN_PROMPT_TOOL, read_prompt, read_workflow};

use crate::{Crib, Files, discover};

/// Where prompts are by convention.
const PROMPTS: &str = "prompts";
const WORKFLOWS: &str = "inst/mcp/workflows";

/// Tools that every crib may have without defining them, beside those that look after operations.
pub const GUIDE_TOOLS: [&str; 8] = [
    "check_definition",
    "get_content",
    "get_feature_flag",
    "get_project_flag",
    "list_feature_flags",
    "list_project_flags",
    "set_feature_flag",
    "set_project_flag",
];

/// The folders of a crib in which prompts are looked for, those that are not there left out.
pub(crate) fn folders(crib: &Crib) -> Vec<PathBuf> {
    let configured = crib.config.prompts.dirs.iter().map(|dir| crib.resolve(dir));
    let all = [crib.folder.join(PROMPTS)]
        .into_iter()
        .chain(configured)
        .chain([crib.folder.join(WORKFLOWS)]);
    all.filter(|folder| folder.is_dir()).collect()
}

/// Reads prompts, and remembers the last good version of each file.
#[derive(Debug, Default)]
pub(crate) struct PromptLoader {
    good: BTreeMap<SourceId, Prompt>,
}

/// What was read.
pub(crate) struct ReadPrompts {
    pub(crate) prompts: Vec<Prompt>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) files: usize,
    /// The sources that were broken, and of which the last good version is kept.
    pub(crate) stale: Vec<SourceId>,
}

impl PromptLoader {
    pub(crate) fn load(&mut self, crib: &Crib) -> ReadPrompts {
        let files = crib.files();
        let mut paths: Vec<_> = folders(crib)
            .iter()
            .flat_map(|folder| discover::files(folder, &["md", "yaml", "yml"]))
            .collect();
        let mut seen = HashSet::new();
        paths.retain(|path| seen.insert(path.clone()));
        let mut read = ReadPrompts {
            prompts: Vec::new(),
            diagnostics: Vec::new(),
            files: paths.len(),
            stale: Vec::new(),
        };
        let mut sources = HashSet::new();
        for path in &paths {
            let source = files.name(path);
            let (prompt, found) = one(&files, path);
            read.diagnostics.extend(found);
            match prompt {
                Some(prompt) => {
                    self.good.insert(source.clone(), prompt);
                }
                None if self.good.contains_key(&source) => read.stale.push(source.clone()),
                None => {}
            }
            if let Some(prompt) = self.good.get(&source) {
                add(prompt.clone(), &mut read);
            }
            sources.insert(source);
        }
        self.good.retain(|source, _| sources.contains(source));
        read
    }
}

/// Adds a prompt, unless there is one of its name.
fn add(prompt: Prompt, read: &mut ReadPrompts) {
    match read.prompts.iter().find(|other| other.name == prompt.name) {
        None => read.prompts.push(prompt),
        Some(first) => {
            let message = format!(
                "the prompt `{}` is defined in {} already",
                prompt.name, first.origin.source
            );
            read.diagnostics.push(
                Diagnostic::new(&DUPLICATE_PROMPT, prompt.origin, message)
                    .hint("rename one of them"),
            );
        }
    }
}

/// Reads one file: a workflow if it is YAML, else a prompt.
pub(crate) fn one(files: &Files, path: &Path) -> (Option<Prompt>, Vec<Diagnostic>) {
    let source = files.name(path);
    match files.read(path) {
        Err(problem) => (None, vec![*problem]),
        Ok(bytes) if path.extension().is_some_and(|extension| extension == "md") => {
            read_prompt(&source, &bytes)
        }
        Ok(bytes) => read_workflow(&source, &bytes),
    }
}

/// Whether a file that is checked by itself is a prompt: it lies where prompts lie.
pub(crate) fn is_prompt(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("md") => folder == PROMPTS,
        Some("yaml" | "yml") => folder == "workflows",
        _ => false,
    }
}

/// Tells of tools that prompts name and that do not exist.
pub(crate) fn unknown_tools(prompts: &[Prompt], catalog: &Catalog) -> Vec<Diagnostic> {
    let known = || {
        let native = name::BUILT_IN.into_iter().chain(GUIDE_TOOLS);
        catalog.tools().iter().map(|tool| tool.name.as_str()).chain(native)
    };
    let unknown = |tool: &&formats::ToolReference| known().all(|name| name != tool.name);
    let tell = |tool: &formats::ToolReference| {
        let near = closest(&tool.name, known()).map(|near| format!("did you mean `{near}`?"));
        let hint = near.unwrap_or_else(|| "`toolcrib list` shows the names".to_owned());
        Diagnostic::new(
            &UNKNOWN_PROMPT_TOOL,
            tool.origin.clone(),
            format!("there is no tool `{}`", tool.name),
        )
        .hint(hint)
    };
    prompts.iter().flat_map(|prompt| &prompt.tools).filter(unknown).map(tell).collect()
}

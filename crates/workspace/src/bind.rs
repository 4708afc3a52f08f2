//! `[[bind]]`: implementations for tools whose definition has none.
//!
//! Clauses are compiled with the configuration, which an invalid clause makes invalid, and applied
//! whenever definitions are read. The first clause that matches a tool applies.

mod chain;
mod rules;
mod target;

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::Arc,
    time::Duration,
};

use catalog::{
    Diagnostic, Glob, Implementation, NetworkAccess, OnMismatch, Origin, SourceId, Tool,
    implementation::PythonFunction, name,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use toml::Spanned;

pub(crate) use rules::{
    BROKEN_BIND, CIRCULAR_BIND, NO_FUNCTION_NAME, NO_MODULE_FOLDER, SHADOWED_BIND, UNKNOWN_TARGET,
    USELESS_BIND,
};

use target::Target;

/// Implementation for tools whose definition has none: exactly one of `python`, `command` and
/// `tool`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bind {
    /// Glob for tool names.
    pub tools: String,
    /// Python module whose functions are named after the last part of the tool names, or
    /// `module:function`.
    pub python: Option<String>,
    /// Folders to search for Python modules, relative to the crib. Default: the crib.
    pub path: Option<Vec<String>>,
    /// Program and arguments. For tools from Markdown specifications, arguments are JSON on standard
    /// input and the result is JSON on standard output. For command-line tools, `{name}` is replaced
    /// by the value of a parameter.
    pub command: Option<Vec<String>>,
    /// Another tool of the crib, called with the same arguments.
    pub tool: Option<String>,
    /// Action for results that do not match the specification. Default: `warn`.
    pub output: Option<OutputCheck>,
    /// Timeout, in seconds.
    pub timeout_seconds: Option<u64>,
    /// Whether the tools change anything.
    pub mutates: Option<bool>,
    /// Whether their changes are hard to undo.
    pub dangerous: Option<bool>,
    /// Whether they use the network, or the `host:port` destinations that they may connect to.
    #[serde(default)]
    #[schemars(schema_with = "network_schema")]
    pub network: Option<NetworkAccess>,
    /// Whether each call needs approval.
    pub requires_approval: Option<bool>,
}

fn network_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["boolean", "array"], "items": {"type": "string"}, "minItems": 1, "maxItems": 64})
}

/// Action for results that do not match the specification.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum OutputCheck {
    /// Return the result with a warning.
    #[default]
    Warn,
    /// Fail the call.
    Fail,
}

impl From<OutputCheck> for OnMismatch {
    fn from(check: OutputCheck) -> Self {
        match check {
            OutputCheck::Warn => Self::Warn,
            OutputCheck::Fail => Self::Fail,
        }
    }
}

/// A compiled clause.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    written: Bind,
    glob: Glob,
    target: Target,
    origin: Origin,
}

/// Compiles the clauses, or reports the problems of all of them.
pub(crate) fn compile(
    source: &SourceId,
    written: &[Spanned<Bind>],
) -> Result<Vec<Binding>, Vec<Diagnostic>> {
    let (mut bindings, mut found) = (Vec::new(), Vec::new());
    for clause in written {
        let origin = Origin::offset(source, clause.span().start);
        let bind = clause.get_ref();
        let glob = Glob::new(&bind.tools).map_err(|error| {
            (
                format!("`{}` is not a glob: {error}", bind.tools),
                "write a name, with `*` for any text and `?` for any character",
            )
        });
        match glob.and_then(|glob| Ok((glob, Target::parse(bind)?))) {
            Ok((glob, target)) => {
                bindings.push(Binding { written: bind.clone(), glob, target, origin })
            }
            Err((message, hint)) => {
                found.push(Diagnostic::new(&BROKEN_BIND, origin, message).hint(hint))
            }
        }
    }
    if found.is_empty() { Ok(bindings) } else { Err(found) }
}

/// Binds tools, and reports clauses without effect and targets that cannot be called.
pub(crate) fn apply(
    bindings: &[Binding],
    crib: &Path,
    tools: &mut [Arc<Tool>],
    diagnostics: &mut Vec<Diagnostic>,
) {
    // The index of the clause that bound each tool.
    let mut bound = HashMap::new();
    for (index, binding) in bindings.iter().enumerate() {
        // Clauses are tried in the order of the file, because the first matching one applies.
        binding.apply(index, tools, &mut bound, diagnostics);
        diagnostics.extend(binding.report_missing_folders(crib));
    }
    let sources: HashSet<_> = tools
        .iter()
        .filter(|tool| bound.contains_key(&tool.name))
        .map(|tool| &tool.origin.source)
        .collect();
    // The readers reported the missing command before the tools were bound.
    diagnostics.retain(|found| {
        found.code != formats::MISSING_COMMAND.code || !sources.contains(&found.origin.source)
    });
    let origins =
        bound.into_iter().map(|(name, index)| (name, bindings[index].origin.clone())).collect();
    for (name, found) in chain::find_unresolved(tools, &origins) {
        // Documented but not served, instead of failing at the first call.
        tools.iter_mut().filter(|tool| tool.name == name).for_each(unbind);
        diagnostics.push(found);
    }
    // Applied last, when tools whose chain leads nowhere are unbound.
    chain::inherit_annotations(tools);
}

impl Binding {
    /// Binds the matching tools that have no implementation and that no earlier clause has bound.
    fn apply(
        &self,
        index: usize,
        tools: &mut [Arc<Tool>],
        bound: &mut HashMap<String, usize>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let (mut new, mut earlier) = (HashSet::new(), Vec::new());
        for tool in tools.iter_mut().filter(|tool| self.matches(tool)) {
            match bound.get(&tool.name) {
                None if matches!(tool.implementation, Implementation::Missing) => {}
                // Another document describes the tool too.
                Some(same) if *same == index => {}
                Some(_) => {
                    earlier.push(tool.name.clone());
                    continue;
                }
                None => continue,
            }
            new.insert(tool.name.clone());
            match self.bind(tool) {
                Some(bound) => *tool = Arc::new(bound),
                None => diagnostics.push(self.report_no_function(tool)),
            }
            // Applies even if binding failed: a later, more general clause must not silently take
            // over.
            bound.insert(tool.name.clone(), index);
        }
        diagnostics.extend(self.report_overlap(new.is_empty(), &earlier));
    }

    fn matches(&self, tool: &Tool) -> bool {
        // The server implements these itself, whatever a definition says about them.
        self.glob.is_match(&tool.name) && !name::BUILT_IN.contains(&tool.name.as_str())
    }

    /// The tool with its implementation; `None` if its name is not a valid function name.
    fn bind(&self, tool: &Tool) -> Option<Tool> {
        let mut tool = tool.clone();
        match &self.target {
            Target::Command(command) => tool = formats::bind(tool, command),
            Target::Tool(other) => tool.implementation = Implementation::Tool(other.clone()),
            Target::Python(module, function) => {
                let function = function.clone().or_else(|| target::function_name(&tool.name))?;
                let path = self.written.path.clone().unwrap_or_else(|| vec![".".to_owned()]);
                tool.implementation = Implementation::Python(PythonFunction {
                    module: module.clone(),
                    function,
                    path,
                });
            }
        }
        // The output of a command line is text, which no schema describes.
        let is_text = matches!(&tool.implementation, Implementation::Process(process) if !process.speaks_json());
        tool.on_mismatch = (!is_text).then(|| self.written.output.unwrap_or_default().into());
        tool.timeout = self.written.timeout_seconds.map(Duration::from_secs).or(tool.timeout);
        let Bind { mutates, dangerous, network, requires_approval, .. } = &self.written;
        let annotations = &mut tool.annotations;
        // The clause wins: its author knows the implementation, the specification only its
        // contract.
        annotations.mutates = mutates.or(annotations.mutates);
        annotations.dangerous = dangerous.or(annotations.dangerous);
        annotations.network = network.clone().or(annotations.network.take());
        annotations.requires_approval = requires_approval.or(annotations.requires_approval);
        Some(tool)
    }

    fn report_overlap(&self, is_useless: bool, earlier: &[String]) -> Option<Diagnostic> {
        let tools = &self.written.tools;
        match earlier.first() {
            None if is_useless => {
                let message = format!("`{tools}` matches no tool without an implementation");
                Some(
                    Diagnostic::new(&USELESS_BIND, self.origin.clone(), message)
                        .hint("`toolcrib list` shows the names"),
                )
            }
            None => None,
            Some(_) if is_useless => {
                let message = format!(
                    "an earlier `[[bind]]` already binds every tool that `{tools}` matches"
                );
                Some(
                    Diagnostic::new(&USELESS_BIND, self.origin.clone(), message)
                        .hint("move it up if it should apply"),
                )
            }
            Some(first) => {
                let others = if earlier.len() > 1 {
                    format!(" and {} more", earlier.len() - 1)
                } else {
                    String::new()
                };
                let message =
                    format!("an earlier `[[bind]]` already binds `{first}`{others} of `{tools}`");
                let hint = "no action is needed; move this clause up if it should apply";
                Some(Diagnostic::new(&SHADOWED_BIND, self.origin.clone(), message).hint(hint))
            }
        }
    }

    fn report_no_function(&self, tool: &Tool) -> Diagnostic {
        let message =
            format!("the last part of `{}` is not a valid name for a Python function", tool.name);
        let found =
            Diagnostic::new(&NO_FUNCTION_NAME, self.origin.clone(), message).tool(&tool.name);
        found.hint("bind the tool separately, with `python = \"module:function\"`")
    }

    fn report_missing_folders(&self, crib: &Path) -> impl Iterator<Item = Diagnostic> {
        let missing =
            self.written.path.iter().flatten().filter(|folder| !crib.join(folder).is_dir());
        missing.map(|folder| {
            let message = format!("there is no folder `{folder}` to search for modules");
            Diagnostic::new(&NO_MODULE_FOLDER, self.origin.clone(), message)
                .hint("paths are relative to the crib")
        })
    }
}

fn unbind(tool: &mut Arc<Tool>) {
    *tool = Arc::new(Tool { implementation: Implementation::Missing, ..(**tool).clone() });
}

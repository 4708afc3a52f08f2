//! `[[bind]]`: what runs tools whose definition does not say it.
//!
//! A clause is compiled when the configuration is read, where it may be refused, and applied whenever
//! definitions are. The first clause that matches a tool counts.

mod chain;
mod rules;

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::Arc,
    time::Duration,
};

use catalog::{
    Diagnostic, Glob, Implementation, OnMismatch, Origin, SourceId, Tool,
    implementation::PythonFunction, name,
};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

pub(crate) use rules::{
    BROKEN_BIND, CIRCULAR_BIND, NO_FUNCTION_NAME, NO_MODULE_FOLDER, SHADOWED_BIND, UNKNOWN_TARGET,
    USELESS_BIND,
};

/// What runs tools whose definition does not say it. Exactly one of `python`, `command` and `tool` is given.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bind {
    /// A glob over tool names.
    pub tools: String,
    /// A Python module whose functions are called like the last part of the tools' names; `module:function` for one function.
    pub python: Option<String>,
    /// The folders in which modules are looked for, relative to the crib; the crib itself if not given.
    pub path: Option<Vec<String>>,
    /// A program and its arguments. Tools of Markdown specifications give it their arguments as JSON on standard input and
    /// take JSON from its standard output; for tools of command lines, `{name}` stands for the value of a parameter.
    pub command: Option<Vec<String>>,
    /// Another tool of the crib, which is called with the same arguments.
    pub tool: Option<String>,
    /// What becomes of a result that is not as the specification says; `warn` if not given.
    pub output: Option<OutputCheck>,
    /// How long a call may run, in seconds.
    pub timeout_seconds: Option<u64>,
    /// Whether the tools change anything, where their definition does not say it.
    pub mutates: Option<bool>,
    /// Whether what they change is hard to undo.
    pub dangerous: Option<bool>,
    /// Whether they talk to the network.
    pub network: Option<bool>,
    /// Whether a person must agree to each call.
    pub requires_approval: Option<bool>,
}

/// What becomes of a result that is not as the specification says.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum OutputCheck {
    /// It is returned, with a word about it.
    #[default]
    Warn,
    /// The call has failed.
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

/// A clause that can be applied.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    written: Bind,
    glob: Glob,
    target: Target,
    origin: Origin,
}

#[derive(Clone, Debug)]
enum Target {
    /// A module, and which of its functions if that is said.
    Python(String, Option<String>),
    Command(Vec<String>),
    Tool(String),
}

/// Compiles clauses; all problems of all of them if there are any.
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
        match glob.and_then(|glob| Ok((glob, Target::of(bind)?))) {
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

impl Target {
    /// What a clause binds to; else what is wrong with it, and what to do.
    fn of(bind: &Bind) -> Result<Self, (String, &'static str)> {
        let only_python = "take it out, or bind to `python`";
        match (&bind.python, &bind.command, &bind.tool) {
            (Some(text), None, None) => python(text),
            (None, _, _) if bind.path.is_some() => {
                Err(("`path` is for modules of Python".to_owned(), only_python))
            }
            (None, Some(command), None)
                if command.first().is_some_and(|program| !program.is_empty()) =>
            {
                Ok(Self::Command(command.clone()))
            }
            (None, Some(_), None) => Err((
                "`command` names no program".to_owned(),
                "write `command = [\"prog\", \"arg\"]`",
            )),
            (None, None, Some(tool)) => Ok(Self::Tool(tool.clone())),
            (None, None, None) => Err((
                format!("nothing is said that runs `{}`", bind.tools),
                "add one of `python`, `command` and `tool`",
            )),
            _ => Err((
                format!("more than one thing is to run `{}`", bind.tools),
                "keep one of `python`, `command` and `tool`",
            )),
        }
    }
}

fn python(text: &str) -> Result<Target, (String, &'static str)> {
    let (module, function) = match text.split_once(':') {
        Some((module, function)) => (module, Some(function)),
        None => (text, None),
    };
    if !module.split('.').all(is_identifier) || !function.is_none_or(is_identifier) {
        let message = format!("`{text}` is not a module of Python");
        return Err((
            message,
            "write it as in an import, `package.module`, or `package.module:function`",
        ));
    }
    Ok(Target::Python(module.to_owned(), function.map(str::to_owned)))
}

fn is_identifier(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !text.is_empty() && text.chars().all(is_part) && !text.starts_with(|c: char| c.is_numeric())
}

/// Binds tools, and says what is strange about that.
pub(crate) fn apply(
    bindings: &[Binding],
    crib: &Path,
    tools: &mut [Arc<Tool>],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut bound = HashMap::new();
    for (index, binding) in bindings.iter().enumerate() {
        binding.apply(index, tools, &mut bound, diagnostics);
        diagnostics.extend(binding.missing_folders(crib));
    }
    let sources: HashSet<_> = tools
        .iter()
        .filter(|tool| bound.contains_key(&tool.name))
        .map(|tool| &tool.origin.source)
        .collect();
    // What was said about the missing program is no longer true.
    diagnostics.retain(|found| {
        found.code != formats::MISSING_COMMAND.code || !sources.contains(&found.origin.source)
    });
    let origins =
        bound.into_iter().map(|(name, index)| (name, bindings[index].origin.clone())).collect();
    for (name, found) in chain::lost(tools, &origins) {
        tools.iter_mut().filter(|tool| tool.name == name).for_each(unbind);
        diagnostics.push(found);
    }
    chain::inherit(tools);
}

impl Binding {
    /// Binds the tools that it matches and nobody has bound.
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
                // Of the same name, in another document.
                Some(same) if *same == index => {}
                Some(_) => {
                    earlier.push(tool.name.clone());
                    continue;
                }
                None => continue,
            }
            new.insert(tool.name.clone());
            match self.bound(tool) {
                Some(ready) => *tool = Arc::new(ready),
                None => diagnostics.push(self.no_function(tool)),
            }
            bound.insert(tool.name.clone(), index);
        }
        diagnostics.extend(self.overlap(new.is_empty(), &earlier));
    }

    fn matches(&self, tool: &Tool) -> bool {
        self.glob.is_match(&tool.name) && !name::BUILT_IN.contains(&tool.name.as_str())
    }

    /// The tool with what runs it; none if no function can be called like it.
    fn bound(&self, tool: &Tool) -> Option<Tool> {
        let mut tool = tool.clone();
        match &self.target {
            Target::Command(command) => tool = formats::bind(tool, command),
            Target::Tool(other) => tool.implementation = Implementation::Tool(other.clone()),
            Target::Python(module, function) => {
                let function = function.clone().or_else(|| function_of(&tool.name))?;
                let path = self.written.path.clone().unwrap_or_else(|| vec![".".to_owned()]);
                tool.implementation = Implementation::Python(PythonFunction {
                    module: module.clone(),
                    function,
                    path,
                });
            }
        }
        // A command line answers with text, and nothing is said about that.
        let is_text = matches!(&tool.implementation, Implementation::Process(process) if !process.speaks_json());
        tool.on_mismatch = (!is_text).then(|| self.written.output.unwrap_or_default().into());
        tool.timeout = self.written.timeout_seconds.map(Duration::from_secs).or(tool.timeout);
        let Bind { mutates, dangerous, network, requires_approval, .. } = self.written;
        let annotations = &mut tool.annotations;
        annotations.mutates = mutates.or(annotations.mutates);
        annotations.dangerous = dangerous.or(annotations.dangerous);
        annotations.network = network.or(annotations.network);
        annotations.requires_approval = requires_approval.or(annotations.requires_approval);
        Some(tool)
    }

    fn overlap(&self, is_useless: bool, earlier: &[String]) -> Option<Diagnostic> {
        let tools = &self.written.tools;
        match earlier.first() {
            None if is_useless => {
                let message = format!("`{tools}` matches no tool without a program");
                Some(
                    Diagnostic::new(&USELESS_BIND, self.origin.clone(), message)
                        .hint("`toolcrib list` shows the names"),
                )
            }
            None => None,
            Some(_) if is_useless => {
                let message =
                    format!("every tool that `{tools}` matches is bound by an earlier `[[bind]]`");
                Some(
                    Diagnostic::new(&USELESS_BIND, self.origin.clone(), message)
                        .hint("put it first if it is to count"),
                )
            }
            Some(first) => {
                let others = if earlier.len() > 1 {
                    format!(" and {} more", earlier.len() - 1)
                } else {
                    String::new()
                };
                let message =
                    format!("`{first}`{others} of `{tools}` stays bound by an earlier `[[bind]]`");
                let hint = "nothing need be done; put this one first if it is to count";
                Some(Diagnostic::new(&SHADOWED_BIND, self.origin.clone(), message).hint(hint))
            }
        }
    }

    fn no_function(&self, tool: &Tool) -> Diagnostic {
        let message =
            format!("no function of Python can be called like the last part of `{}`", tool.name);
        let found =
            Diagnostic::new(&NO_FUNCTION_NAME, self.origin.clone(), message).tool(&tool.name);
        found.hint("bind it by itself, with `python = \"module:function\"`")
    }

    fn missing_folders(&self, crib: &Path) -> impl Iterator<Item = Diagnostic> {
        let missing =
            self.written.path.iter().flatten().filter(|folder| !crib.join(folder).is_dir());
        missing.map(|folder| {
            let message = format!("`{folder}` is not a folder, so that no module is found there");
            Diagnostic::new(&NO_MODULE_FOLDER, self.origin.clone(), message)
                .hint("paths are relative to the crib")
        })
    }
}

/// The function that is called like a tool.
fn function_of(name: &str) -> Option<String> {
    let last = name.rsplit(['.', '/']).next().unwrap_or(name).replace('-', "_");
    is_identifier(&last).then_some(last)
}

fn unbind(tool: &mut Arc<Tool>) {
    *tool = Arc::new(Tool { implementation: Implementation::Missing, ..(**tool).clone() });
}

//! The walk from a tool through its subcommands to the leaves.
//!
//! An error in a node stops the tools below it and no others; the walk goes on all the same, so
//! that every problem is found at once.

use std::collections::HashSet;

use catalog::{Tool, closest, launch::PassBy, name};

use super::{
    command,
    field::{Known, Object, did_you_mean, wrong_type},
    parameter::{self, Parameter, Place},
    settings::Settings,
};
use crate::{
    Guidance,
    json::{Node, Value},
    report::{At, Report},
    rules::{
        definition::{
            BAD_NAME, BUILT_IN_NAME, CONTRADICTION, IGNORED_FIELD, MISSING_COMMAND, MISSING_SUBCOMMAND, UNSUPPORTED_FIELD,
        },
        guidance::UNKNOWN_GUIDANCE,
        parameter::{DUPLICATE_PARAMETER, FLAG_CLASH},
    },
};

const TOOL: Known = Known {
    fields: &[
        "$schema",
        "name",
        "title",
        "description",
        "command",
        "subcommand",
        "inputSchema",
        "input_schema",
        "argv",
        "options",
        "positional_args",
        "positional_args_first",
        "double_dash",
        "enabled",
        "timeout_seconds",
        "synchronous",
        "force_synchronous",
        "asynchronous",
        "hints",
        "guidance_key",
        "sequence",
        "step_delay_ms",
        "availability_check",
        "install_instructions",
        "mutates",
        "dangerous",
        "requires_approval",
        "network",
        "idempotent",
        "category",
        "version",
        "concurrency",
        "examples",
        "tool_type",
        "monitor_level",
        "monitor_stream",
        "livelog",
        "args_template",
    ],
    weighty: &["command", "subcommand", "inputSchema", "argv", "options", "positional_args", "sequence", "enabled"],
};

const SUBCOMMAND: Known = Known {
    fields: &[
        "name",
        "title",
        "description",
        "subcommand",
        "options",
        "positional_args",
        "positional_args_first",
        "double_dash",
        "enabled",
        "timeout_seconds",
        "synchronous",
        "force_synchronous",
        "asynchronous",
        "hints",
        "guidance_key",
        "sequence",
        "step_delay_ms",
        "availability_check",
        "install_instructions",
        "mutates",
        "dangerous",
        "requires_approval",
        "network",
        "idempotent",
        "category",
        "version",
        "concurrency",
        "examples",
        "monitor_level",
        "monitor_stream",
        "args_template",
        "inputSchema",
        "input_schema",
        "command",
    ],
    weighty: &["subcommand", "options", "positional_args", "sequence", "enabled"],
};

/// The reader of one definition.
pub(crate) struct Reader<'n, 'r> {
    guidance: &'n Guidance,
    pub(super) report: &'r mut Report,
    /// The nodes from the tool to where the walk is.
    pub(super) levels: Vec<Level<'n>>,
    /// The words of `command`.
    pub(super) command: Vec<&'n str>,
    pub(super) is_built_in: bool,
    pub(super) tools: Vec<Tool>,
    /// What the tools of this file weigh, by a rough count of bytes.
    pub(super) weight: usize,
    pub(super) leaves: usize,
    unknown_guidance: HashSet<&'n str>,
}

/// A node on the way to a leaf.
pub(super) struct Level<'n> {
    pub(super) name: &'n str,
    pub(super) settings: Settings<'n>,
    pub(super) hints: Option<&'n Node<'n>>,
    pub(super) parameters: Vec<Parameter<'n>>,
    /// Whether it or a node above has an error.
    pub(super) is_broken: bool,
    /// The bytes of its own fields.
    pub(super) weight: usize,
}

impl<'n, 'r> Reader<'n, 'r> {
    pub(crate) fn new(guidance: &'n Guidance, report: &'r mut Report) -> Self {
        Self {
            guidance,
            report,
            levels: Vec::new(),
            command: Vec::new(),
            is_built_in: false,
            tools: Vec::new(),
            weight: 0,
            leaves: 0,
            unknown_guidance: HashSet::new(),
        }
    }

    /// Reads the tools of a definition.
    pub(crate) fn definition(mut self, root: &'n Node<'n>) -> Vec<Tool> {
        let object = Object { node: root, at: &At::ROOT };
        let errors = self.report.errors();
        let name = self.name(&object);
        self.report.tool = (!name.is_empty()).then(|| name.to_owned());
        object.check_known(&TOOL, self.report);
        self.reject_livelog(&object);
        self.command = command::read(&object, self.report);
        self.is_built_in = name::BUILT_IN.contains(&name);
        self.note_built_in(&object, name);
        self.note_missing_command(&object);
        for key in ["inputSchema", "input_schema", "argv"] {
            object.object(key, self.report);
        }
        self.enter(&object, name, errors);
        match object.list("subcommand", self.report) {
            Some(children) if !children.is_empty() => {
                self.ignore_schema(&object);
                self.children(children, &At::ROOT);
            }
            _ => self.only_leaf(&object),
        }
        self.name_built_in(name);
        self.tools
    }

    /// A definition without subcommands is one tool.
    fn only_leaf(&mut self, object: &Object<'n, '_>) {
        let has_parameters = object.has("options") || object.has("positional_args");
        let key = ["inputSchema", "input_schema"].into_iter().find(|key| object.has(key));
        match key {
            Some(key) if !has_parameters => return self.written_leaf(object, key),
            _ => self.ignore_schema(object),
        }
        if !object.has("sequence") && !self.command.is_empty() {
            let problem =
                self.report.value(&MISSING_SUBCOMMAND, &object.at.key("subcommand"), "the field `subcommand` is missing");
            let hint = "the command is one tool then; to say so, add a subcommand named `default`";
            self.report.push(problem.expected("array").hint(hint));
        }
        self.leaf(object);
    }

    fn children(&mut self, children: &'n [Node<'n>], at: &At<'_>) {
        let at = at.key("subcommand");
        for (index, node) in children.iter().enumerate() {
            let at = at.index(index);
            let Some(object) = Object::new(node, &at, self.report) else { continue };
            self.subcommand(&object);
        }
    }

    fn subcommand(&mut self, object: &Object<'n, '_>) {
        let errors = self.report.errors();
        let above = self.report.tool.clone();
        let name = self.name(object);
        self.report.tool = Some(self.path_name(Some(name)));
        object.check_known(&SUBCOMMAND, self.report);
        self.reject_misplaced(object);
        self.enter(object, name, errors);
        match object.list("subcommand", self.report) {
            Some(children) if !children.is_empty() => self.children(children, object.at),
            _ => self.leaf(object),
        }
        self.levels.pop();
        self.report.tool = above;
    }

    /// The name of the node where the walk is, or of a child of it, as it would be served.
    pub(super) fn path_name(&self, child: Option<&str>) -> String {
        let names: Vec<_> = self.levels.iter().map(|level| level.name).chain(child).collect();
        name::of_path(&names)
    }

    fn name(&mut self, object: &Object<'n, '_>) -> &'n str {
        let Some(found) = object.required("name", self.report) else { return "" };
        if let Err(problem) = name::check(found) {
            let message = format!("`{}` is not a name: {problem}", found.escape_debug());
            let problem = self.report.value(&BAD_NAME, &object.at.key("name"), message);
            self.report.push(problem.expected("1 to 64 ASCII letters, digits, `_`, `-` and `.`").received(found));
        }
        found
    }

    /// Reads a node's own fields; `errors` is how many there were before its first.
    fn enter(&mut self, object: &Object<'n, '_>, name: &'n str, errors: usize) {
        object.required("description", self.report);
        object.filled("title", self.report);
        let above = self.levels.last();
        let is_broken = above.is_some_and(|level| level.is_broken);
        let inherited = above.map(|level| level.settings.clone()).unwrap_or_default();
        let mut settings = inherited.below(object, self.command.first().copied(), self.report);
        self.read_guidance(object, &mut settings);
        self.note_ignored(object);
        let hints = self.read_hints(object);
        let parameters = self.parameters(object);
        let children = object.node("subcommand").map_or(0, |node| node.span.len());
        let is_broken = is_broken || self.report.errors() > errors;
        let weight = object.node.span.len() - children;
        self.levels.push(Level { name, settings, hints, parameters, is_broken, weight });
    }

    fn read_guidance(&mut self, object: &Object<'n, '_>, settings: &mut Settings<'n>) {
        let Some(key) = object.filled("guidance_key", self.report) else { return };
        settings.guidance = self.guidance.lookup(key);
        if settings.guidance.is_none() && self.unknown_guidance.insert(key) {
            let near = closest(key, self.guidance.keys());
            let hint = near.map_or_else(|| "add it to `guidance_blocks` in `tool_guidance.json`".to_owned(), did_you_mean);
            let problem =
                self.report.value(&UNKNOWN_GUIDANCE, &object.at.key("guidance_key"), format!("there is no guidance `{key}`"));
            self.report.push(problem.received(key).hint(hint));
        }
    }

    /// Hints are texts under any key; `custom` holds more of them. Some writers leave nulls.
    fn read_hints(&mut self, object: &Object<'n, '_>) -> Option<&'n Node<'n>> {
        let hints = object.object("hints", self.report)?;
        let at = object.at.key("hints");
        for member in hints.members() {
            let at = at.key(&member.key);
            match &member.value.value {
                Value::Object(members) if member.key == "custom" => {
                    for member in members {
                        self.check_hint(&member.value, &at.key(&member.key));
                    }
                }
                _ => self.check_hint(&member.value, &at),
            }
        }
        Some(hints)
    }

    fn check_hint(&mut self, node: &Node<'_>, at: &At<'_>) {
        if !matches!(node.value, Value::String(_) | Value::Null) {
            wrong_type(node, at, "string", self.report);
        }
    }

    fn parameters(&mut self, object: &Object<'n, '_>) -> Vec<Parameter<'n>> {
        let mut parameters = Vec::new();
        for (key, place) in [("options", Place::Option), ("positional_args", Place::Positional)] {
            let at = object.at.key(key);
            for (index, node) in object.list(key, self.report).unwrap_or_default().iter().enumerate() {
                let at = at.index(index);
                let Some(object) = Object::new(node, &at, self.report) else { continue };
                parameters.extend(parameter::read(&object, place, self.report));
            }
        }
        self.check_names(&parameters);
        self.check_flags(&parameters);
        self.check_stdin(&parameters);
        parameters
    }

    fn check_stdin(&mut self, parameters: &[Parameter<'n>]) {
        let above = self.levels.iter().flat_map(|level| &level.parameters);
        let takers = above.chain(parameters).filter(|parameter| parameter.binding.pass_by == PassBy::Stdin);
        if let Some(second) = takers.skip(1).last() {
            let message = "standard input takes one parameter, this is another one";
            let problem = self.report.pointer(&CONTRADICTION, second.pointer.clone(), message);
            self.report.push(problem.hint("pass one of them by `file`"));
        }
    }

    /// A parameter's name is a key of the arguments, so it must be the only one on the way to a leaf.
    fn check_names(&mut self, parameters: &[Parameter<'n>]) {
        let above = self.levels.iter().flat_map(|level| &level.parameters).map(|parameter| parameter.name);
        let mut names: HashSet<_> = above.filter(|name| *name != super::binding::FOLDER).collect();
        for parameter in parameters {
            if !names.insert(parameter.name) {
                let message = format!("there is more than one parameter `{}`", parameter.name);
                let problem = self.report.pointer(&DUPLICATE_PARAMETER, format!("{}/name", parameter.pointer), message);
                self.report
                    .push(problem.received(parameter.name).hint("rename one; `flag` can keep its spelling on the command line"));
            }
        }
    }

    fn check_flags(&mut self, parameters: &[Parameter<'n>]) {
        let mut flags = HashSet::new();
        for parameter in parameters {
            let binding = &parameter.binding;
            for flag in binding.flag.iter().chain(&binding.negate) {
                if !flags.insert(flag) {
                    let message = format!("the flag `{flag}` of `{}` belongs to another parameter too", parameter.name);
                    let problem = self.report.pointer(&FLAG_CLASH, parameter.pointer.clone(), message);
                    self.report.push(problem.received(flag.as_str()).hint("change `alias` or `flag` of one of them"));
                }
            }
        }
    }
}

/// What is passed over, refused or only said.
impl<'n> Reader<'n, '_> {
    fn note_built_in(&mut self, object: &Object<'n, '_>, name: &str) {
        if self.is_built_in {
            let message = format!("`{name}` is a built-in tool: this gives it its text, not its program");
            let problem = self.report.value(&BUILT_IN_NAME, &object.at.key("name"), message);
            self.report.push(problem.hint("choose another name for a tool of your own"));
        }
    }

    /// A lone leaf of a definition with the name of a built-in tool is that tool.
    fn name_built_in(&mut self, name: &str) {
        if let ([tool], true) = (self.tools.as_mut_slice(), self.is_built_in) {
            name.clone_into(&mut tool.name);
        }
    }

    fn note_missing_command(&mut self, object: &Object<'n, '_>) {
        if !object.has("command") && !object.has("sequence") && !self.is_built_in {
            let problem = self.report.value(
                &MISSING_COMMAND,
                &object.at.key("command"),
                "without `command` this is documented, not served",
            );
            self.report.push(problem.expected("string").hint("add `command`, or bind a command in `toolcrib.toml`"));
        }
    }

    fn reject_livelog(&mut self, object: &Object<'n, '_>) {
        let kind = object.choice("tool_type", &[("command", "command"), ("livelog", "livelog")], self.report);
        let key = match kind {
            Some("livelog") => "tool_type",
            _ if object.has("livelog") => "livelog",
            _ => return,
        };
        let problem =
            self.report.key(&UNSUPPORTED_FIELD, &object.at.key(key), "watching a log with a model (`livelog`) is not supported");
        self.report.push(problem.hint("define the command that prints the log as a tool"));
    }

    /// Refuses what a subcommand cannot have.
    fn reject_misplaced(&mut self, object: &Object<'n, '_>) {
        for key in ["inputSchema", "input_schema", "command"].into_iter().filter(|key| object.has(key)) {
            let message = format!("`{key}` belongs to the tool, not to a subcommand");
            let problem = self.report.key(&UNSUPPORTED_FIELD, &object.at.key(key), message);
            self.report.push(problem.hint("move this subcommand to a definition of its own"));
        }
    }

    fn note_ignored(&mut self, object: &Object<'n, '_>) {
        if object.has("args_template") {
            let problem =
                self.report.key(&UNSUPPORTED_FIELD, &object.at.key("args_template"), "`args_template` is not supported");
            self.report.push(problem.hint("declare `options` and `positional_args`; values never become part of a shell script"));
        }
        for key in ["monitor_level", "monitor_stream"].into_iter().filter(|key| object.has(key)) {
            let problem =
                self.report.key(&IGNORED_FIELD, &object.at.key(key), format!("`{key}` is not used: output is not watched"));
            self.report.push(problem);
        }
    }

    fn ignore_schema(&mut self, object: &Object<'n, '_>) {
        for key in ["inputSchema", "input_schema", "argv"].into_iter().filter(|key| object.has(key)) {
            let message = match object.has("inputSchema") || object.has("input_schema") {
                true => format!("`{key}` is not used beside `subcommand`, `options` or `positional_args`"),
                false => format!("`{key}` is not used without `inputSchema`"),
            };
            let problem = self.report.key(&IGNORED_FIELD, &object.at.key(key), message);
            self.report.push(problem.hint("keep one of the two ways to say what arguments there are"));
        }
    }
}

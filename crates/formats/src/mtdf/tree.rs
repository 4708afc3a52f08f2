//! Walks from a tool through its subcommands to the leaves.
//!
//! An error in a node disables the tools below it and no others. The walk continues regardless, so
//! that one run reports every problem.

use std::collections::HashSet;

use catalog::{Constraint, Tool, closest, name};

use super::{
    command, conflict,
    parameter::{self, Parameter, Position},
    rules::definition::{NO_ARGUMENTS, UNKNOWN_GUIDANCE},
    settings::Settings,
};
use crate::{
    constraints,
    context::Guidance,
    json::{Node, Value},
    object::{KnownFields, Object, did_you_mean, report_wrong_type},
    report::{NodePath, Report},
    rules::definition::BAD_NAME,
};

/// The fields of tools and subcommands.
#[rustfmt::skip]
const NODE: &[&str] = &[
    "name", "title", "description", "subcommand", "options", "positional_args", "positional_args_first", "double_dash",
    "fixed_args", "success_exit_codes", "constraints", "credentials",
    "enabled", "timeout_seconds", "output_bytes", "synchronous", "force_synchronous", "asynchronous", "hints", "guidance_key",
    "sequence", "step_delay_ms", "progress_regex", "availability_check", "install_instructions", "mutates", "dangerous",
    "requires_approval", "consent", "network", "idempotent", "category", "version", "concurrency", "examples", "monitor_level",
    "monitor_stream", "args_template", "command", "inputSchema", "input_schema",
];

const TOOL: KnownFields = KnownFields {
    groups: &[NODE, &["$schema", "mtdf", "argv", "tool_type", "livelog"]],
    critical: &[
        "command",
        "subcommand",
        "inputSchema",
        "argv",
        "options",
        "positional_args",
        "fixed_args",
        "constraints",
        "sequence",
        "enabled",
    ],
};

const SUBCOMMAND: KnownFields = KnownFields {
    groups: &[NODE],
    critical: &[
        "subcommand",
        "options",
        "positional_args",
        "fixed_args",
        "constraints",
        "sequence",
        "enabled",
    ],
};

/// Reads one definition.
pub(crate) struct TreeReader<'n, 'r> {
    guidance: &'n Guidance,
    pub(super) report: &'r mut Report,
    /// The nodes from the root to the current one.
    pub(super) levels: Vec<Level<'n>>,
    /// The words of `command`.
    pub(super) command: Vec<&'n str>,
    pub(super) is_built_in: bool,
    pub(super) tools: Vec<Tool>,
    /// Tools with an error, as far as they could be read.
    pub(super) broken: Vec<Tool>,
    /// Approximate size in bytes of the tools read so far.
    pub(super) weight: usize,
    /// Whether the limits of a file are reached.
    pub(super) is_full: bool,
    unknown_guidance: HashSet<&'n str>,
}

/// A node between the root and a leaf.
pub(super) struct Level<'n> {
    pub(super) name: &'n str,
    pub(super) title: Option<&'n str>,
    pub(super) description: Option<&'n str>,
    pub(super) settings: Settings<'n>,
    pub(super) hints: Option<&'n Node<'n>>,
    pub(super) parameters: Vec<Parameter<'n>>,
    /// Words after its name on the command line.
    pub(super) fixed_args: Vec<&'n str>,
    pub(super) constraints: Vec<Constraint>,
    /// Whether this node or one above it has an error.
    pub(super) is_broken: bool,
    /// Size in bytes of its own fields, without its subcommands.
    pub(super) weight: usize,
}

impl<'n, 'r> TreeReader<'n, 'r> {
    pub(crate) fn new(guidance: &'n Guidance, report: &'r mut Report) -> Self {
        Self {
            guidance,
            report,
            levels: Vec::new(),
            command: Vec::new(),
            is_built_in: false,
            tools: Vec::new(),
            broken: Vec::new(),
            weight: 0,
            is_full: false,
            unknown_guidance: HashSet::new(),
        }
    }

    /// Reads the tools of a definition: those without an error, and the others as far as possible.
    pub(crate) fn read_definition(mut self, root: &'n Node<'n>) -> (Vec<Tool>, Vec<Tool>) {
        let object = Object { node: root, at: &NodePath::ROOT };
        let errors = self.report.errors();
        let name = self.read_name(&object);
        self.report.tool = (!name.is_empty()).then(|| name.to_owned());
        object.check_known(&TOOL, self.report);
        self.reject_livelog(&object);
        // Read only to report other versions. The fields of both are accepted in any file.
        object.choice("mtdf", &[("1", ()), ("2", ())], self.report);
        self.command = command::read(&object, self.report);
        self.is_built_in = name::BUILT_IN.contains(&name);
        self.report_built_in(&object, name);
        // Checked here, because a definition with subcommands ignores these fields whatever they
        // are.
        for key in ["inputSchema", "input_schema", "argv"] {
            object.object(key, self.report);
        }
        self.enter_node(&object, name, errors);
        match object.list("subcommand", self.report) {
            Some(children) if !children.is_empty() => {
                self.report_ignored_schema(&object);
                self.read_children(children, &NodePath::ROOT);
            }
            _ => self.read_single_tool(&object),
        }
        self.name_built_in(name);
        self.report_missing_command(&object);
        (self.tools, self.broken)
    }

    /// Reads a definition without subcommands, which is one tool.
    fn read_single_tool(&mut self, object: &Object<'n, '_>) {
        let has_parameters = object.has("options") || object.has("positional_args");
        let key = ["inputSchema", "input_schema"].into_iter().find(|key| object.has(key));
        match key {
            Some(key) if !has_parameters => return self.read_schema_tool(object, key),
            _ => self.report_ignored_schema(object),
        }
        if !object.has("sequence") && !self.command.is_empty() && !has_parameters {
            let message = "the tool takes no arguments: it has neither parameters nor subcommands";
            let problem = self.report.at_value(&NO_ARGUMENTS, &object.at.key("command"), message);
            let hint = "add `options` or `positional_args`; if it really takes none, add `\"options\": []`";
            self.report.push(problem.hint(hint));
        }
        self.build_leaf(object);
    }

    fn read_children(&mut self, children: &'n [Node<'n>], at: &NodePath<'_>) {
        let at = at.key("subcommand");
        for (index, node) in children.iter().enumerate() {
            if self.report.is_exhausted() || self.is_full {
                return;
            }
            let at = at.index(index);
            let Some(object) = Object::new(node, &at, self.report) else {
                continue;
            };
            self.read_subcommand(&object);
        }
    }

    fn read_subcommand(&mut self, object: &Object<'n, '_>) {
        let errors = self.report.errors();
        let above = self.report.tool.clone();
        let name = self.read_name(object);
        self.report.tool = Some(self.path_name(Some(name)));
        object.check_known(&SUBCOMMAND, self.report);
        self.reject_misplaced(object);
        self.enter_node(object, name, errors);
        match object.list("subcommand", self.report) {
            Some(children) if !children.is_empty() => self.read_children(children, object.at),
            _ => self.build_leaf(object),
        }
        self.levels.pop();
        self.report.tool = above;
    }

    /// The served name of the current node, or of a child of it.
    pub(super) fn path_name(&self, child: Option<&str>) -> String {
        let names: Vec<_> = self.levels.iter().map(|level| level.name).chain(child).collect();
        name::join_path(&names)
    }

    fn read_name(&mut self, object: &Object<'n, '_>) -> &'n str {
        let Some(found) = object.required("name", self.report) else {
            return "";
        };
        if let Err(problem) = name::check(found) {
            let message = format!("`{}` is not a valid name: {problem}", found.escape_debug());
            let problem = self.report.at_value(&BAD_NAME, &object.at.key("name"), message);
            self.report.push(
                problem
                    .with_expected("1 to 64 ASCII letters, digits, `_`, `-` and `.`")
                    .with_received(found),
            );
        }
        found
    }

    /// Reads a node's own fields; `errors` is the number of errors before the first of them.
    fn enter_node(&mut self, object: &Object<'n, '_>, name: &'n str, errors: usize) {
        object.required("description", self.report);
        let title = object.non_blank("title", self.report);
        let above = self.levels.last();
        let is_broken = above.is_some_and(|level| level.is_broken);
        let inherited = above.map(|level| level.settings.clone()).unwrap_or_default();
        let mut settings = inherited.read_child(object, self.command.first().copied(), self.report);
        self.read_guidance(object, &mut settings);
        self.report_ignored(object);
        let hints = self.read_hints(object);
        let parameters = self.read_parameters(object);
        let fixed_args = object.items("fixed_args", "string without NUL", to_word, self.report);
        let constraints = constraints::read(object, self.report);
        let children = object.node("subcommand").map_or(0, |node| node.span.len());
        let is_broken = is_broken || self.report.errors() > errors;
        // Each leaf is charged for all nodes above it, so a node must not count its subcommands.
        let weight = object.node.span.len() - children;
        let description = object.node("description").and_then(Node::as_str);
        self.levels.push(Level {
            name,
            title,
            description,
            settings,
            hints,
            parameters,
            fixed_args,
            constraints,
            is_broken,
            weight,
        });
    }

    fn read_guidance(&mut self, object: &Object<'n, '_>, settings: &mut Settings<'n>) {
        let Some(key) = object.non_blank("guidance_key", self.report) else {
            return;
        };
        // An unknown key removes inherited guidance: the author wanted another text, not that one.
        settings.guidance = self.guidance.lookup(key);
        if settings.guidance.is_none() && self.unknown_guidance.insert(key) {
            let near = closest(key, self.guidance.keys());
            let hint = near.map_or_else(
                || "add it to `guidance_blocks` in `tool_guidance.json`".to_owned(),
                did_you_mean,
            );
            let problem = self.report.at_value(
                &UNKNOWN_GUIDANCE,
                &object.at.key("guidance_key"),
                format!("there is no guidance `{key}`"),
            );
            self.report.push(problem.with_received(key).hint(hint));
        }
    }

    /// Hints are strings under any key; `custom` groups more of them. Generated definitions contain
    /// nulls for hints that were left empty.
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

    fn check_hint(&mut self, node: &Node<'_>, at: &NodePath<'_>) {
        if !matches!(node.value, Value::String(_) | Value::Null) {
            report_wrong_type(node, at, "string", self.report);
        }
    }

    fn read_parameters(&mut self, object: &Object<'n, '_>) -> Vec<Parameter<'n>> {
        let mut parameters = Vec::new();
        for (key, position) in
            [("options", Position::Option), ("positional_args", Position::Positional)]
        {
            let at = object.at.key(key);
            for (index, node) in
                object.list(key, self.report).unwrap_or_default().iter().enumerate()
            {
                if self.report.is_exhausted() {
                    return parameters;
                }
                let at = at.index(index);
                let Some(object) = Object::new(node, &at, self.report) else {
                    continue;
                };
                parameters.extend(parameter::read(&object, position, self.report));
            }
        }
        // Flags may repeat those of a parent, as in `git -c a=b commit -c HEAD`. Names and standard
        // input may not, since all parameters of a leaf share one object of arguments and one
        // process.
        let above = self.levels.iter().flat_map(|level| &level.parameters);
        conflict::check_names(above.clone(), &parameters, self.report);
        conflict::check_flags(parameters.iter().map(Parameter::located_binding), self.report);
        conflict::check_stdin(
            above.chain(&parameters).map(Parameter::located_binding),
            self.report,
        );
        parameters
    }
}

/// A word of a command line: any text that can be passed to a program, which excludes NUL.
fn to_word<'n>(node: &'n Node<'n>) -> Option<&'n str> {
    node.as_str().filter(|word| !word.contains('\0'))
}

//! Builds a tool from a leaf of the tree.

use std::mem;

use catalog::{
    Description, Implementation, Mode, Origin, Schema, Tool,
    implementation::{Binding, PassBy, Piece, ValueKind, WORKING_DIRECTORY_DESCRIPTION},
    name,
};
use serde_json::{Map, Value as Json, json};

use super::{
    binding::FOLDER,
    conflict, consent,
    parameter::Parameter,
    rules::definition::USELESS_PARAMETER,
    settings,
    tree::{Level, TreeReader},
};
use crate::{
    bind, constraints,
    object::Object,
    rules::{definition::BAD_NAME, syntax::TOO_MUCH},
};

/// Maximum number of tools in one file.
const MAX_TOOLS: usize = 5_000;

/// Maximum approximate size of the tools of one file after inheritance, in bytes.
const MAX_WEIGHT: usize = 32 * 1024 * 1024;

/// Descriptions with fewer words get the root's description as context.
const CLEAR_WORDS: usize = 2;

/// Maximum length of a context, in bytes.
const MAX_CONTEXT: usize = 100;

impl<'n> TreeReader<'n, '_> {
    /// Builds a tool from the current node.
    pub(super) fn build_leaf(&mut self, object: &Object<'n, '_>) {
        let Some(mut tool) = self.begin_tool(object) else {
            return;
        };
        let pieces = self.build_command_line();
        let mut parameters = self.take_parameters();
        let errors = self.report.errors();
        conflict::check_access(
            parameters.iter().map(Parameter::located_binding),
            &tool.annotations,
            self.report,
        );
        self.mark_broken_since(errors);
        match self.current_level().settings.sequence.clone() {
            Some(definition) => {
                tool.implementation = Implementation::Sequence(definition.sequence.clone());
                tool.steps.clone_from(&definition.locations);
                parameters.retain(|parameter| parameter.name == FOLDER);
            }
            None => self.set_implementation(&mut tool, pieces),
        }
        tool.parameters = parameters.iter().map(Parameter::to_model).collect();
        self.finish_tool(tool, build_schema(parameters));
    }

    /// Marks the current leaf as broken if there are more errors than before.
    pub(super) fn mark_broken_since(&mut self, errors: usize) {
        let is_broken = self.report.errors() > errors;
        self.levels.last_mut().expect("the root was entered before any leaf").is_broken |=
            is_broken;
    }

    /// Adds the schema to a tool and adds the tool to `tools` or `broken`.
    pub(super) fn finish_tool(&mut self, mut tool: Tool, mut schema: Map<String, Json>) {
        let errors = self.report.errors();
        let declared = self.current_level().settings.consent.clone();
        tool.consent = consent::require(&mut schema, declared.as_deref(), self.report);
        tool.input = Schema::new(schema);
        let constraints = self.levels.iter().flat_map(|level| &level.constraints);
        tool.constraints = constraints.cloned().collect();
        constraints::check_arguments(&tool.constraints, &tool.input, self.report);
        self.mark_broken_since(errors);
        if self.current_level().is_broken { self.broken.push(tool) } else { self.tools.push(tool) }
    }

    /// Creates a tool without arguments and implementation; none if it is disabled, unnamed or
    /// beyond the limits.
    pub(super) fn begin_tool(&mut self, object: &Object<'n, '_>) -> Option<Tool> {
        let name = self.path_name(None);
        let is_named = self.check_length(&name, object);
        let level = self.current_level();
        if name.is_empty() || level.settings.is_disabled || !is_named || !self.has_room(object) {
            return None;
        }
        let origin = Origin::value(self.report.source(), object.at.pointer());
        let mut tool = Tool::new(name, "", Schema::empty(), Implementation::Missing, origin);
        let settings = &self.current_level().settings;
        tool.title = self.find_title().map(str::to_owned);
        tool.description = self.build_description();
        tool.annotations = settings.annotations.clone();
        // The format defines asynchronous as the default; commands are often builds that take
        // minutes.
        tool.mode = settings.mode.unwrap_or(Mode::Asynchronous);
        tool.timeout = settings.timeout;
        tool.output_bytes = settings.output_bytes;
        tool.concurrency = settings.concurrency;
        tool.availability = settings.availability.as_deref().cloned();
        tool.progress = settings.progress.map(str::to_owned);
        tool.credentials = settings.credentials;
        tool.success_exit_codes = settings.success_exit_codes.to_vec();
        Some(tool)
    }

    /// Runs the command with `pieces` after its words; without a command keeps them for `[[bind]]`.
    pub(super) fn set_implementation(&self, tool: &mut Tool, pieces: Vec<Piece>) {
        match self.command.split_first() {
            _ if self.is_built_in => {}
            None => tool.unbound = Some(pieces),
            Some((program, words)) => {
                let words = words.iter().map(|word| Piece::Word((*word).to_owned()));
                bind::set_process(tool, program, words.chain(pieces).collect());
            }
        }
    }

    pub(super) fn current_level(&self) -> &Level<'n> {
        self.levels.last().expect("the root was entered before any leaf")
    }

    fn check_length(&mut self, name: &str, object: &Object<'n, '_>) -> bool {
        let Err(problem @ name::NameError::TooLong(_)) = name::check(name) else {
            return true;
        };
        // The length of a single name is checked where it is read.
        if self.levels.len() > 1 && !self.current_level().is_broken {
            let message = format!("the tool's name would be `{name}`: {problem}");
            let problem = self.report.at_value(&BAD_NAME, &object.at.key("name"), message);
            self.report
                .push(problem.with_received(name).hint("shorten the names of the subcommands"));
        }
        false
    }

    /// Counts what this leaf inherits from the nodes above: a small file can expand to many large
    /// tools.
    fn has_room(&mut self, object: &Object<'n, '_>) -> bool {
        let own: usize = self.levels.iter().map(|level| level.weight).sum();
        self.weight += own + self.current_level().settings.guidance.map_or(0, str::len);
        self.is_full = self.tools.len() == MAX_TOOLS || self.weight > MAX_WEIGHT;
        if self.is_full {
            let problem = self.report.at_value(
                &TOO_MUCH,
                object.at,
                "this file defines too much; the rest is not read",
            );
            self.report.push(
                problem.with_expected("at most 5,000 tools and 32 MiB").hint("split the file"),
            );
        }
        !self.is_full
    }

    /// The leaf's own title; a leaf named `default` takes that of its parent, which it represents.
    fn find_title(&self) -> Option<&'n str> {
        let mut up = self.levels.iter().rev();
        let own = up.next()?;
        own.title
            .or_else(|| up.next().filter(|_| own.name == "default").and_then(|above| above.title))
    }

    fn build_description(&self) -> Description {
        let level = self.current_level();
        let owned = |text: &str| text.to_owned();
        Description {
            guidance: level.settings.guidance.map(owned),
            context: self.find_context().map(owned),
            text: level.description.map(owned).unwrap_or_default(),
            hint: self
                .levels
                .iter()
                .rev()
                .find_map(|above| settings::find_hint(above.hints?, level.name))
                .map(owned),
            install: level.settings.install.map(owned),
            ..Description::default()
        }
    }

    /// The first line of the root's description, if the leaf's own description is a single word.
    fn find_context(&self) -> Option<&'n str> {
        let ([root, .., leaf], false) = (&self.levels[..], self.is_built_in) else {
            return None;
        };
        let is_terse = leaf.description?.split_whitespace().count() < CLEAR_WORDS;
        let line = root.description?.trim().lines().next()?.trim_end_matches('.');
        (is_terse && line.len() <= MAX_CONTEXT).then_some(line)
    }

    /// Takes the parameters of the leaf and of all nodes above it. If several declare the working
    /// directory, the innermost counts.
    fn take_parameters(&mut self) -> Vec<Parameter<'n>> {
        let own = self
            .levels
            .last_mut()
            .map(|level| mem::take(&mut level.parameters))
            .unwrap_or_default();
        if self.current_level().settings.sequence.is_some() {
            self.report_unused_parameters(&own);
        }
        let mut all: Vec<_> =
            self.levels.iter().flat_map(|level| &level.parameters).cloned().chain(own).collect();
        let mut shadowed =
            all.iter().filter(|parameter| parameter.name == FOLDER).count().saturating_sub(1);
        all.retain(|parameter| {
            let is_shadowed = parameter.name == FOLDER && shadowed > 0;
            shadowed -= usize::from(is_shadowed);
            !is_shadowed
        });
        all
    }

    /// The command line after `command`: for each node its name, fixed words, options and
    /// positionals.
    fn build_command_line(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        // Parameters of an outer level belong to its own word: `git -C dir log -n 1`.
        for (index, level) in self.levels.iter().enumerate() {
            // The root contributes `command`; `default` is a placeholder for a command without
            // subcommand.
            if index > 0 && level.name != "default" {
                pieces.push(Piece::Word(level.name.to_owned()));
            }
            pieces.extend(level.fixed_args.iter().map(|word| Piece::Word((*word).to_owned())));
            let is_leaf = index + 1 == self.levels.len();
            let own = || level.parameters.iter().filter(|parameter| parameter.name != FOLDER);
            let options = own().filter(|parameter| !parameter.is_positional);
            let positionals = own().filter(|parameter| parameter.is_positional);
            let order = Order {
                positional_first: level.settings.positional_first,
                double_dash: is_leaf && level.settings.double_dash,
            };
            let positionals = positionals.map(|parameter| Positional {
                binding: parameter.binding.clone(),
                has_double_dash: parameter.has_double_dash,
            });
            order.arrange(
                options.map(|parameter| parameter.binding.clone()).collect(),
                positionals.collect(),
                &mut pieces,
            );
        }
        // Every command takes a working directory, whether it is declared or not.
        let folder = Binding {
            pass_by: PassBy::Folder,
            kind: ValueKind::Path,
            ..Binding::positional(FOLDER)
        };
        pieces.push(Piece::Parameter(folder));
        pieces
    }

    fn report_unused_parameters(&mut self, parameters: &[Parameter<'n>]) {
        for parameter in parameters.iter().filter(|parameter| parameter.name != FOLDER) {
            let message = format!(
                "the steps of a sequence have their own arguments: `{}` is passed to none of them",
                parameter.name
            );
            let problem = self.report.at_pointer(&USELESS_PARAMETER, &parameter.pointer, message);
            self.report.push(problem.hint("remove it, and put values into `args` of the steps"));
        }
    }
}

/// The schema of a leaf's arguments: closed, with the working directory that every command has.
fn build_schema(parameters: Vec<Parameter<'_>>) -> Map<String, Json> {
    let required: Vec<_> = parameters
        .iter()
        .filter(|parameter| parameter.is_required)
        .map(|parameter| parameter.name.into())
        .collect();
    let mut properties: Map<String, Json> = parameters
        .into_iter()
        .map(|parameter| (parameter.name.to_owned(), Json::Object(parameter.schema)))
        .collect();
    if !properties.contains_key(FOLDER) {
        properties.insert(
            FOLDER.to_owned(),
            json!({"type": "string", "format": "path", "description": WORKING_DIRECTORY_DESCRIPTION}),
        );
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), Json::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Json::Array(required));
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

/// The order of a node's parameters on the command line.
pub(super) struct Order {
    pub(super) positional_first: bool,
    pub(super) double_dash: bool,
}

/// A positional argument of a node.
pub(super) struct Positional {
    pub(super) binding: Binding,
    /// Whether `--` precedes it.
    pub(super) has_double_dash: bool,
}

impl Order {
    /// Options never follow a `--`, after which programs read no more of them.
    pub(super) fn arrange(
        &self,
        options: Vec<Binding>,
        mut positionals: Vec<Positional>,
        pieces: &mut Vec<Piece>,
    ) {
        if let Some(first) = positionals.first_mut() {
            first.has_double_dash |= self.double_dash;
        }
        let is_guarded = |positional: &Positional| positional.has_double_dash;
        let guarded = positionals.iter().position(is_guarded).unwrap_or(positionals.len());
        let guarded = positionals.split_off(guarded);
        let mut options: Vec<_> = options.into_iter().map(Piece::Parameter).collect();
        if !self.positional_first {
            pieces.append(&mut options);
        }
        pieces.extend(positionals.into_iter().map(|plain| Piece::Parameter(plain.binding)));
        pieces.append(&mut options);
        for Positional { binding, has_double_dash } in guarded {
            pieces.extend(has_double_dash.then_some(Piece::DoubleDash));
            // The program takes nothing after `--` for an option.
            pieces.push(Piece::Parameter(Binding { allow_dash: true, ..binding }));
        }
    }
}

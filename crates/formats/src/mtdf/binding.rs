//! How the value of a parameter is passed to the program. Options, positionals and entries of
//! `argv` share these fields.

use catalog::{
    closest,
    implementation::{
        Access, Binding, Items, PassBy, Separator, ValueKind, WORKING_DIRECTORY, flag_for,
    },
};

use super::{
    parameter_type::ParameterType,
    rules::{
        definition::CONTRADICTION,
        parameter::{ACCESS_WITHOUT_PATH, BAD_VARIABLE},
    },
};
use crate::{
    json::Node,
    object::{Object, did_you_mean},
    report::{NodePath, Report},
    rules::definition::BAD_CHOICE,
};

/// The parameter that sets the working directory of the program instead of being passed to it.
pub(crate) const FOLDER: &str = WORKING_DIRECTORY;

/// The parameter that sets environment variables, if it is an object.
const VARIABLES: &str = "env_vars";

/// The fields that declare how a value is passed.
#[rustfmt::skip]
pub(crate) const FIELDS: &[&str] = &[
    "flag", "separator", "join", "pairs", "negate", "pass_by", "env", "allow_dash", "double_dash", "access",
];

/// The kind of value that a `format` declares.
pub(crate) fn value_kind(format: &str) -> ValueKind {
    match format {
        "path" => ValueKind::Path,
        "path-or-value" => ValueKind::PathOrValue,
        _ => ValueKind::Plain,
    }
}

/// Names that people use for the format `path`.
const OTHER_PATH_NAMES: [&str; 8] =
    ["file", "filename", "filepath", "file_path", "dir", "directory", "folder", "pathname"];

/// Reports a `format` that probably stands for `path`: other formats are passed on, so the value would
/// not be restricted to the crib's roots.
pub(crate) fn check_format(node: &Node<'_>, at: &NodePath<'_>, report: &mut Report) {
    let Some(format) = node.get("format").and_then(Node::as_str) else { return };
    let folded = format.to_ascii_lowercase().replace('-', "_");
    let is_path =
        OTHER_PATH_NAMES.contains(&folded.as_str()) || closest(format, ["path"]).is_some();
    if is_path && value_kind(format) == ValueKind::Plain {
        let message = format!("the format `{format}` restricts nothing");
        let problem = report.at_value(&BAD_CHOICE, &at.key("format"), message);
        report.push(problem.with_expected("path").with_received(format).hint(did_you_mean("path")));
    }
}

/// The properties of a parameter that its binding depends on.
pub(crate) struct BindingContext<'n> {
    pub(crate) name: &'n str,
    pub(crate) alias: Option<&'n str>,
    pub(crate) is_positional: bool,
    pub(crate) parameter_type: Option<ParameterType>,
    pub(crate) value_kind: ValueKind,
}

/// How a value reaches the program: the values of the field `pass_by`.
#[derive(Clone, Copy, PartialEq)]
enum Channel {
    Argument,
    Stdin,
    Env,
    File,
    Variables,
}

const CHANNELS: [(&str, Channel); 5] = [
    ("argument", Channel::Argument),
    ("stdin", Channel::Stdin),
    ("env", Channel::Env),
    ("file", Channel::File),
    ("variables", Channel::Variables),
];

const SEPARATORS: [(&str, Separator); 3] =
    [("space", Separator::Space), ("=", Separator::Equals), ("none", Separator::Nothing)];

impl BindingContext<'_> {
    /// The binding if the definition declares none.
    pub(crate) fn default_binding(&self) -> Binding {
        if self.name == FOLDER {
            return Binding {
                pass_by: PassBy::Folder,
                kind: ValueKind::Path,
                ..Binding::positional(self.name)
            };
        }
        if self.name == VARIABLES && self.parameter_type == Some(ParameterType::Object) {
            return Binding { pass_by: PassBy::Variables, ..Binding::positional(self.name) };
        }
        let binding = if self.is_positional {
            Binding::positional(self.name)
        } else {
            // `alias` is the short flag of the program, such as `v` for `verbose`.
            Binding::option(self.name, flag_for(self.alias.unwrap_or(self.name)))
        };
        Binding { kind: self.value_kind, ..binding }
    }

    /// Reads the binding that `object` declares.
    pub(crate) fn read(&self, object: &Object<'_, '_>, report: &mut Report) -> Binding {
        let mut binding = self.default_binding();
        if let Some(flag) = object.non_blank("flag", report) {
            if self.is_positional {
                report_contradiction("flag", "a positional value has no flag", object, report);
            }
            binding.flag = Some(flag.to_owned());
        }
        binding.negate = object.non_blank("negate", report).map(str::to_owned);
        binding.separator =
            object.choice("separator", &SEPARATORS, report).unwrap_or(Separator::Space);
        binding.items = self.read_items(object, report);
        binding.allow_dash = object.flag("allow_dash", report).unwrap_or(false);
        let channel = object.choice("pass_by", &CHANNELS, report);
        let variable =
            object.non_blank("env", report).filter(|name| check_variable(name, object, report));
        // The working directory is where the program runs, and is never passed in another way.
        if self.name != FOLDER {
            self.apply_channel(channel, variable, &mut binding);
        }
        binding.access = object
            .choice("access", &Access::WORDS, report)
            .filter(|_| check_access(&binding, object, report));
        binding
    }

    /// How the items of an array or the members of an object are passed.
    fn read_items(&self, object: &Object<'_, '_>, report: &mut Report) -> Items {
        let join = object.text("join", report).map(str::to_owned);
        let Some(separator) = object.text("pairs", report).map(str::to_owned) else {
            return join.map_or(Items::Each, Items::Joined);
        };
        if self.parameter_type.is_some_and(|known| known != ParameterType::Object) {
            report_contradiction("pairs", "the value is not an object", object, report);
        }
        Items::Pairs { separator, join }
    }

    /// Whether `--` precedes a positional.
    pub(crate) fn read_double_dash(&self, object: &Object<'_, '_>, report: &mut Report) -> bool {
        let is_set = object.flag("double_dash", report) == Some(true);
        if is_set && !self.is_positional {
            report_contradiction("double_dash", "only a positional follows `--`", object, report);
        }
        is_set
    }

    fn apply_channel(
        &self,
        channel: Option<Channel>,
        variable: Option<&str>,
        binding: &mut Binding,
    ) {
        // `env` names a variable, so `pass_by` may be omitted.
        let channel = channel.or(variable.map(|_| Channel::Env));
        match channel {
            None => return,
            Some(Channel::Argument) => {
                binding.pass_by = PassBy::Argument;
                if !self.is_positional && binding.flag.is_none() {
                    binding.flag = Some(flag_for(self.alias.unwrap_or(self.name)));
                }
                return;
            }
            Some(Channel::File) => {
                binding.pass_by = PassBy::File;
                return;
            }
            Some(Channel::Stdin) => binding.pass_by = PassBy::Stdin,
            Some(Channel::Env) => {
                binding.pass_by =
                    PassBy::Env(variable.map_or_else(|| self.variable_name(), str::to_owned))
            }
            Some(Channel::Variables) => binding.pass_by = PassBy::Variables,
        }
        binding.flag = None;
    }

    fn variable_name(&self) -> String {
        self.name
            .trim_start_matches('-')
            .chars()
            .map(|c| if c.is_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
            .collect()
    }

    /// Reads `file_arg` and `file_flag`, which pass multi-line text in a temporary file.
    pub(crate) fn read_file(
        &self,
        object: &Object<'_, '_>,
        binding: &mut Binding,
        report: &mut Report,
    ) {
        let file_arg = object.flag("file_arg", report);
        let flag = object.non_blank("file_flag", report);
        if !file_arg.unwrap_or(object.has("file_flag")) {
            return;
        }
        let key = if object.has("file_arg") { "file_arg" } else { "file_flag" };
        if object.has("pass_by") || object.has("env") {
            report_contradiction(
                key,
                "`pass_by` or `env` already declares how the value is passed",
                object,
                report,
            );
        } else if self.is_positional && !object.has("file_flag") {
            report_contradiction(
                key,
                "a positional value needs a `file_flag` for that",
                object,
                report,
            );
        } else if let Some(flag) = flag.map(str::to_owned).or_else(|| binding.flag.clone())
            && binding.pass_by == PassBy::Argument
        {
            binding.pass_by = PassBy::FileIfMultiline(flag);
        }
    }
}

fn report_contradiction(key: &str, why: &str, object: &Object<'_, '_>, report: &mut Report) {
    let problem = report.at_key(
        &CONTRADICTION,
        &object.at.key(key),
        format!("`{key}` cannot be used here: {why}"),
    );
    report.push(problem.hint(format!("remove `{key}`, or the field it contradicts")));
}

/// Only a path can have `access`. The working directory is excluded: it grants nothing by itself.
fn check_access(binding: &Binding, object: &Object<'_, '_>, report: &mut Report) -> bool {
    let is_path = binding.kind == ValueKind::Path && binding.is_path();
    if !is_path {
        let message = format!("`access` is set for `{}`, which is not a path", binding.parameter);
        let problem = report.at_key(&ACCESS_WITHOUT_PATH, &object.at.key("access"), message);
        report
            .push(problem.hint("add `\"format\": \"path\"` to the parameter, or remove `access`"));
    }
    is_path
}

fn check_variable(name: &str, object: &Object<'_, '_>, report: &mut Report) -> bool {
    let is_valid = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if !is_valid {
        let problem = report.at_value(
            &BAD_VARIABLE,
            &object.at.key("env"),
            format!("`{name}` is not a valid variable name"),
        );
        report.push(
            problem
                .with_expected("ASCII letters, digits and `_`, no digit first")
                .with_received(name),
        );
    }
    is_valid
}

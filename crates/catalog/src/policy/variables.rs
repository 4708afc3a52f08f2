//! Variables set by a call: in the environment through an open parameter, or as `NAME=value` in
//! place of a `make` target.
//!
//! Many programs read code, plugins or trust settings from variables (`TAR_OPTIONS`, `MAKEFLAGS`,
//! `LUA_INIT`), and no deny list of them is complete. So a call may set variables that the
//! definition lists or that are known to be harmless; any other variable needs approval.

use serde_json::{Map, Value};

use crate::{
    Implementation, Tool,
    implementation::{Binding, Items, PassBy, Piece, Process},
};

/// Programs that accept `NAME=value` in place of a target, and run the program named by `SHELL` or
/// `CC`.
const MAKES: [&str; 3] = ["make", "gmake", "bmake"];

/// Variables that only change how output looks. `LC_…` belong to them.
const HARMLESS: [&str; 10] = [
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "COLUMNS",
    "LINES",
];

impl Tool {
    /// Whether the definition lists this variable among the properties of a parameter that sets
    /// variables.
    pub fn lists_variable(&self, parameter: &str, name: &str) -> bool {
        let schema = self.input.property(parameter);
        schema.is_some_and(|schema| schema["properties"].get(name).is_some())
    }
}

/// The first variable of a call that is neither listed nor harmless.
pub(super) fn find_unlisted_variable<'a>(
    tool: &Tool,
    arguments: &'a Map<String, Value>,
) -> Option<&'a str> {
    let Implementation::Process(process) = &tool.implementation else {
        return None;
    };
    let sets = |binding: &&Binding| binding.pass_by == PassBy::Variables;
    process.bindings().filter(sets).find_map(|binding| {
        let variables = arguments.get(&binding.parameter)?.as_object()?;
        let set = variables.iter().filter(|(_, value)| !value.is_null());
        let mut unlisted =
            set.filter(|(name, _)| !tool.lists_variable(&binding.parameter, name.as_str()));
        let found = unlisted.find(|(name, value)| !is_harmless(name) || is_path(value));
        found.map(|(name, _)| name.as_str())
    })
}

/// Finds the first value that sets a variable of `make` where the definition expects a target.
pub(super) fn find_make_variable<'a>(
    tool: &Tool,
    arguments: &'a Map<String, Value>,
) -> Option<&'a str> {
    let Implementation::Process(process) = &tool.implementation else {
        return None;
    };
    if !starts_make(process) {
        return None;
    }
    let positional = |one: &&Binding| one.pass_by == PassBy::Argument && one.flag.is_none();
    process.bindings().filter(positional).find_map(|binding| {
        let value = arguments.get(&binding.parameter)?;
        if let (Value::Object(members), Items::Pairs { .. }) = (value, &binding.items) {
            let mut names = members.keys();
            return names
                .find(|name| !tool.lists_variable(&binding.parameter, name))
                .map(String::as_str);
        }
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        let assignments = values.iter().filter_map(|value| value.as_str()?.split_once('='));
        assignments.map(|(name, _)| name).next()
    })
}

/// Whether the program is `make`, or a wrapper that starts it.
fn starts_make(process: &Process) -> bool {
    let words = process.pieces.iter().filter_map(|piece| match piece {
        Piece::Word(word) => Some(word.as_str()),
        _ => None,
    });
    let mut names = std::iter::once(process.program.as_str()).chain(words);
    names.any(|word| word.rsplit('/').next().is_some_and(|name| MAKES.contains(&name)))
}

fn is_harmless(name: &str) -> bool {
    HARMLESS.contains(&name) || name.starts_with("LC_")
}

/// Whether a value of a harmless variable makes programs read a file outside of the system's folders:
/// `LANGUAGE=../../x` names translations, whose texts some programs use as formats. `Europe/Berlin` does
/// not.
fn is_path(value: &Value) -> bool {
    let is_outside = |part: &str| part.starts_with('/') || part.contains("..");
    value.as_str().is_some_and(|text| text.split(':').any(is_outside))
}

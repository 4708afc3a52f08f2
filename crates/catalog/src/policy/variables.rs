//! Environment variables that a call sets through an open parameter.
//!
//! Many programs take code, plugins or trust from variables (`TAR_OPTIONS`, `MAKEFLAGS`, `LUA_INIT`), and
//! no list of them is complete. So a call may set what the definition lists and what is known to be
//! harmless; a person is asked about anything else.

use serde_json::{Map, Value};

use crate::{
    Implementation, Tool,
    implementation::{Binding, PassBy},
};

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
        let mut names = set.map(|(name, _)| name.as_str());
        names.find(|name| !is_harmless(name) && !tool.lists_variable(&binding.parameter, name))
    })
}

fn is_harmless(name: &str) -> bool {
    HARMLESS.contains(&name) || name.starts_with("LC_")
}

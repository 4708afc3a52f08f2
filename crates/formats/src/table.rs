//! The table of formats.

use catalog::Rule;

use crate::{format::Format, guidance, json_schema, mcp, mtdf, rave, rules::SHARED, spec};

/// Every format that is recognized, in the order in which help lists them.
pub static FORMATS: &[&Format] = &[
    &mtdf::FORMAT,
    &rave::FORMAT,
    &spec::FORMAT,
    &mcp::FORMAT,
    &guidance::FORMAT,
    &json_schema::FORMAT,
];

/// The format of this name.
pub fn find_format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name).copied()
}

/// Every problem that reading a definition can find, sorted by code.
pub fn rules() -> Vec<&'static Rule> {
    list_rules(FORMATS)
}

/// The rules that all formats share and those of the formats in a table, sorted by code.
pub(crate) fn list_rules(formats: &[&'static Format]) -> Vec<&'static Rule> {
    let own = formats.iter().flat_map(|format| format.rules);
    let mut rules: Vec<_> = SHARED.iter().chain(own).copied().collect();
    rules.sort_by_key(|rule| rule.code);
    rules
}

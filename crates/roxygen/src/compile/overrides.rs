//! Tags that override what is inferred about parameters: `@mcp-type x integer`, `@mcp-required x`,
//! `@mcp-optional x`.

use formats::type_phrase;

use super::tool::ToolCompiler;
use crate::{
    block::Tag,
    param,
    parameter::Override,
    rules::{PHANTOM_PARAM, UNKNOWN_TYPE},
    source::Function,
};

/// The override tags.
const TAGS: [&str; 3] = ["mcp-type", "mcp-required", "mcp-optional"];

impl ToolCompiler<'_, '_, '_> {
    /// Reads the overrides of one parameter from the block of the function.
    pub(super) fn read_override(&mut self, name: &str) -> Override {
        let mut found = Override::default();
        for tag in self.block().tags.iter().filter(|tag| names(tag).any(|one| one == name)) {
            match tag.name {
                "mcp-type" => found.phrase = type_phrase::parse_leading(&param::text(tag), &[]),
                _ => found.is_required = Some(tag.name == "mcp-required"),
            }
        }
        found
    }

    /// Reports overrides that have no effect.
    pub(super) fn check_overrides(&mut self, function: &Function) {
        for tag in self.block().tags.iter().filter(|tag| TAGS.contains(&tag.name)) {
            let is_known = |name: &str| function.formals.iter().any(|formal| formal.name == name);
            for name in names(tag).filter(|name| !is_known(name)) {
                let message = format!(
                    "`@{}` names `{name}`, but `{}` has no such formal",
                    tag.name, function.name
                );
                self.reporter.report(&PHANTOM_PARAM, tag.offset, message, "correct the name");
            }
            let text = param::text(tag);
            if tag.name == "mcp-type" && type_phrase::parse_leading(&text, &[]).is_none() {
                let message = format!("`{text}` is not a type, so `@mcp-type` has no effect");
                let hint = "write `string`, `integer`, `number`, `logical`, `list`, `data frame`, or \
                            a vector such as `integer vector`";
                self.reporter.report(&UNKNOWN_TYPE, tag.offset, message, hint);
            }
        }
    }
}

/// The parameters that a tag names. `@mcp-type` has one or several names before the type, as
/// `@param` does; the other tags have only names.
fn names(tag: &Tag<'_>) -> impl Iterator<Item = String> {
    let names = match tag.name {
        "mcp-type" => param::names(tag),
        name if TAGS.contains(&name) => tag.words().map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    names.into_iter()
}

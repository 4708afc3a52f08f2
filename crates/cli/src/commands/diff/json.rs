//! Changes for programs: one object in version 1 of its format.

use compat::{Change, Effect, ToolComparison};
use serde::Serialize;

use crate::terminal;

#[derive(Serialize)]
struct DiffJson<'a> {
    version: u32,
    ok: bool,
    tools: Vec<ToolChangesJson<'a>>,
}

#[derive(Serialize)]
struct ToolChangesJson<'a> {
    name: &'a str,
    /// Set if the tool was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_name: Option<&'a str>,
    class: &'a str,
    required_bump: &'a str,
    old_version: Option<&'a str>,
    new_version: Option<&'a str>,
    ok: bool,
    /// The version number to use, if the declared one is too low or higher than needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    use_version: Option<String>,
    changes: Vec<JsonChange<'a>>,
}

#[derive(Serialize)]
struct JsonChange<'a> {
    rule: &'a str,
    pointer: &'a str,
    message: &'a str,
    breaking: bool,
    /// The comparison could not decide; counts as breaking until a person has decided. Absent if
    /// false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    undecided: bool,
    /// The reason for which the crib allows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<&'a str>,
}

/// Prints the comparison as one object.
pub(super) fn print(tools: &[ToolComparison]) {
    terminal::json(&DiffJson {
        version: 1,
        ok: super::is_ok(tools),
        tools: tools.iter().map(entry).collect(),
    });
}

fn entry(tool: &ToolComparison) -> ToolChangesJson<'_> {
    let verdict = tool.check_version();
    ToolChangesJson {
        name: &tool.name,
        new_name: tool.new_name.as_deref(),
        class: tool.class().as_str(),
        required_bump: tool.required_bump().as_str(),
        old_version: tool.old_version.as_deref(),
        new_version: tool.new_version.as_deref(),
        ok: verdict.ok,
        use_version: verdict.suggestion,
        changes: tool.changes.iter().map(to_json).collect(),
    }
}

fn to_json(change: &Change) -> JsonChange<'_> {
    JsonChange {
        rule: change.rule.name,
        pointer: &change.pointer,
        message: &change.message,
        breaking: change.is_breaking(),
        undecided: change.effect == Effect::Undecided,
        allowed: change.allowed.as_deref(),
    }
}

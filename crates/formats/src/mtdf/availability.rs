//! The field `availability_check`: a command whose exit code decides whether a tool can run.

use catalog::Availability;

use crate::{
    json::Node,
    object::{KnownFields, Object, to_count},
    report::Report,
};

const KNOWN: KnownFields = KnownFields {
    groups: &[&[
        "command",
        "args",
        "working_directory",
        "success_exit_codes",
        "skip_subcommand_args",
    ]],
    critical: &["command", "args"],
};

/// Reads the check; without a `command` of its own it runs the program of the tool.
pub(crate) fn read(
    object: &Object<'_, '_>,
    program: Option<&str>,
    report: &mut Report,
) -> Option<Availability> {
    object.check_known(&KNOWN, report);
    // Accepted for compatibility: subcommands are never part of the check here.
    object.flag("skip_subcommand_args", report);
    let program = if object.has("command") { object.non_blank("command", report) } else { program };
    let args = object.items("args", "string", Node::as_str, report);
    let folder = object.non_blank("working_directory", report).map(str::to_owned);
    let success =
        if object.has("success_exit_codes") { read_exit_codes(object, report) } else { vec![0] };
    // Like `command` of a tool, without quoting.
    let command = program?.split_whitespace().chain(args).map(str::to_owned).collect();
    Some(Availability { command, folder, success })
}

/// The codes in `success_exit_codes`.
pub(crate) fn read_exit_codes(object: &Object<'_, '_>, report: &mut Report) -> Vec<i32> {
    object.items("success_exit_codes", "integer from 0 to 255", to_exit_code, report)
}

fn to_exit_code(node: &Node<'_>) -> Option<i32> {
    to_count(node).and_then(|code| u8::try_from(code).ok()).map(i32::from)
}

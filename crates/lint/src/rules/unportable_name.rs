//! Names that some hosts rewrite.

use catalog::{Diagnostic, Implementation, Rule, Severity, Tool};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC204",
    name: "unportable-name",
    severity: Severity::Warning,
    why: "The protocol allows dots and a leading digit in a tool's name, but some model interfaces do not, and their hosts \
          then rewrite or drop the tool. Letters first, then letters, digits, `_` and `-`, work everywhere. \
          Functions of R are exempt: their names are given by package and function, where dots are usual.",
    bad: r#"{"name": "7zip.list", "description": "Archives", "command": "7z l", "mutates": false,
 "subcommand": [{"name": "default", "description": "List an archive"}]}"#,
    good: r#"{"name": "sevenzip_list", "description": "Archives", "command": "7z l", "mutates": false,
 "subcommand": [{"name": "default", "description": "List an archive"}]}"#,
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let name = &tool.name;
    if is_given(tool) {
        return;
    }
    let what = match (name.starts_with(|c: char| c.is_ascii_digit()), name.contains('.')) {
        (true, true) => "begins with a digit and has a dot",
        (true, false) => "begins with a digit",
        (false, true) => "has a dot",
        (false, false) => return,
    };
    let found = Diagnostic::new(
        &RULE,
        tool.origin.clone(),
        format!("the name `{name}` {what}, which some hosts rewrite"),
    );
    report.push(found.hint("begin with a letter and use `_` instead of a dot"));
}

/// Whether the format leaves no choice: a function of R is called by its package and its name.
fn is_given(tool: &Tool) -> bool {
    let Implementation::R(function) = &tool.implementation else {
        return false;
    };
    tool.name == format!("{}-{}", function.package, function.function)
}

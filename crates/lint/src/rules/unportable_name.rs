//! Names that some hosts rewrite.

use catalog::{Diagnostic, Implementation, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC204",
    name: "unportable-name",
    severity: Severity::Warning,
    why: "The protocol allows dots and a leading digit in tool names, but some model APIs do \
          not, and their hosts rename or drop the tool. A letter followed by letters, digits, \
          `_` and `-` works everywhere. R functions are exempt: their names consist of package \
          and function, where dots are common.",
    bad: r#"{"name": "7zip.list", "description": "Archives", "command": "7z l", "mutates": false,
 "subcommand": [{"name": "default", "description": "List an archive"}]}"#,
    good: r#"{"name": "sevenzip_list", "description": "Archives", "command": "7z l", "mutates": false,
 "subcommand": [{"name": "default", "description": "List an archive"}]}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let name = &tool.name;
    if has_fixed_name(tool) {
        return;
    }
    let what = match (name.starts_with(|c: char| c.is_ascii_digit()), name.contains('.')) {
        (true, true) => "starts with a digit and contains a dot",
        (true, false) => "starts with a digit",
        (false, true) => "contains a dot",
        (false, false) => return,
    };
    let found = Diagnostic::new(
        &RULE,
        tool.origin.clone(),
        format!("the name `{name}` {what}, which some hosts rewrite"),
    );
    sink.push(found.hint("start with a letter and use `_` instead of a dot"));
}

/// Whether the name follows from the implementation: an R function is named after its package.
fn has_fixed_name(tool: &Tool) -> bool {
    let Implementation::R(function) = &tool.implementation else {
        return false;
    };
    tool.name == format!("{}-{}", function.package, function.function)
}

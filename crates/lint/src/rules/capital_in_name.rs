//! Names with capital letters.

use catalog::{Diagnostic, Implementation, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC208",
    name: "capital-in-name",
    severity: Severity::Warning,
    why: "Tool names are lower case. Models are used to lower-case names and may call \
          `countLines` as `countlines`, which fails. Subcommands of programs keep the spelling \
          of the program.",
    bad: include_str!("examples/capital_in_name.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    // A subcommand is called by the spelling that its program uses.
    let is_command =
        matches!(tool.implementation, Implementation::Process(_)) && tool.details.is_none();
    if !is_command && tool.name.contains(|c: char| c.is_ascii_uppercase()) {
        let message = format!("the name `{}` contains capital letters", tool.name);
        sink.push(
            Diagnostic::new(&RULE, tool.origin.clone(), message)
                .hint("use lower case and `_` between words"),
        );
    }
}

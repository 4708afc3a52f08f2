//! Names with capitals.

use catalog::{Diagnostic, Implementation, Rule, Severity, Tool};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC208",
    name: "capital-in-name",
    severity: Severity::Warning,
    why: "The invocation name of a tool is lower case. A model that has read a hundred lower-case names writes the next one \
          so too, and a call of `countLines` as `countlines` fails. Subcommands of programs keep the program's own spelling.",
    bad: include_str!("examples/capital_in_name.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let is_command =
        matches!(tool.implementation, Implementation::Process(_)) && tool.aspects.is_none();
    if !is_command && tool.name.contains(|c: char| c.is_ascii_uppercase()) {
        let message = format!("the name `{}` has capitals", tool.name);
        report.push(
            Diagnostic::new(&RULE, tool.origin.clone(), message)
                .hint("use lower case and `_` between words"),
        );
    }
}

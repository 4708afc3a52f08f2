//! Specifications without a version.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC411",
    name: "missing-version",
    severity: Severity::Warning,
    why: "A breaking change of a tool's parameters or result needs a new major version. Without any version nobody can see \
          that something changed. Write `**Version**: 1.0.0` under the heading of the tool, or at the head of the document \
          for all its tools.",
    bad: include_str!("examples/missing_version.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    if tool.aspects.as_ref().is_some_and(|aspects| aspects.version.is_none()) {
        let found = Diagnostic::new(
            &RULE,
            tool.origin.clone(),
            "neither the tool nor its document has a version",
        );
        report.push(found.hint("write `**Version**: 1.0.0` under the heading"));
    }
}

//! Specifications without a version.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC411",
    name: "missing-version",
    severity: Severity::Warning,
    why: "A breaking change of the parameters or the result needs a new major version. Without a \
          version, callers cannot see that something changed. Write `**Version**: 1.0.0` under \
          the heading of the tool, or at the top of the document for all of its tools.",
    bad: include_str!("examples/missing_version.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    if tool.details.as_ref().is_some_and(|details| details.version.is_none()) {
        let found = Diagnostic::new(
            &RULE,
            tool.origin.clone(),
            "neither the tool nor its document has a version",
        );
        sink.push(found.hint("write `**Version**: 1.0.0` under the heading"));
    }
}

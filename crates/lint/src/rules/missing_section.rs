//! Specifications that lack sections.

use catalog::{Diagnostic, Rule, Severity, Tool, spec_details::Section};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC405",
    name: "missing-section",
    severity: Severity::Warning,
    why: "A specification of a tool has eight sections: purpose, invocation name, input, output, \
          errors, idempotency, usage examples, security. If one does not apply, write `N/A` and \
          the reason. A missing section was probably forgotten.",
    bad: include_str!("examples/missing_section.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let Some(details) = &tool.details else { return };
    let missing: Vec<Section> =
        Section::ALL.into_iter().filter(|section| details.section(*section).is_none()).collect();
    let Some(first) = missing.first() else { return };
    let titles = missing
        .iter()
        .map(|section| format!("\"{}\"", section.title()))
        .collect::<Vec<_>>()
        .join(", ");
    let message = match missing.len() {
        1 => format!("the section {titles} is missing"),
        count => format!("{count} sections are missing: {titles}"),
    };
    let hint = format!(
        "add `### {}. {}`; write `N/A` and the reason if a section does not apply",
        first.number(),
        first.title()
    );
    sink.push(Diagnostic::new(&RULE, tool.origin.clone(), message).hint(hint));
}

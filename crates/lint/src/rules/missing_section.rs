//! Specifications without all their sections.

use catalog::{Diagnostic, Rule, Severity, Tool, aspect::Section};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC405",
    name: "missing-section",
    severity: Severity::Warning,
    why: "A specification of a tool has eight sections: purpose, invocation name, input, output, errors, idempotency, usage \
          examples, security. One that does not apply says so (`N/A`, and why); one that is not there was forgotten.",
    bad: include_str!("examples/missing_section.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let Some(aspects) = &tool.aspects else { return };
    let missing: Vec<Section> =
        Section::ALL.into_iter().filter(|section| aspects.section(*section).is_none()).collect();
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
        "write them as `### {}. {}`, and `N/A` with the reason where one does not apply",
        first.number(),
        first.title()
    );
    report.push(Diagnostic::new(&RULE, tool.origin.clone(), message).hint(hint));
}

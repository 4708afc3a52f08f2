//! Specifications without all their sections.

use catalog::{Diagnostic, Rule, Severity, Tool, aspect::Section};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC405",
    name: "missing-section",
    severity: Severity::Warning,
    why: "A specification of a tool has eight sections: purpose, invocation name, input, output, errors, idempotency, usage \
          examples, security. One that does not apply says so (`N/A`, and why); one that is not there was forgotten.",
    bad: specimen!(security: ""),
    good: specimen!(),
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let Some(aspects) = &tool.aspects else { return };
    for section in Section::ALL.into_iter().filter(|section| aspects.section(*section).is_none()) {
        let message = format!("the section \"{}\" is missing", section.title());
        let hint = format!("write it under `### {}. {}`", section.number(), section.title());
        report.push(Diagnostic::new(&RULE, tool.origin.clone(), message).hint(hint));
    }
}

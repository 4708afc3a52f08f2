//! Errors that are not reported in the standard form.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC409",
    name: "unusual-errors",
    severity: Severity::Warning,
    why: "A failed call returns an object with `status`, `error_type`, `error_message` and, if there is more to say, \
          `error_details`. With one form for all tools an agent can tell what went wrong; with another for each it reads \
          prose. Show the object where errors are described, or have its fields among those of the result.",
    bad: include_str!("examples/unusual_errors.md"),
    good: include_str!("examples/count_lines.md"),
};

/// The fields that every error has.
const STANDARD: [&str; 3] = ["status", "error_type", "error_message"];

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let Some(errors) = tool.aspects.as_ref().and_then(|aspects| aspects.errors.as_ref()) else {
        return;
    };
    let text = errors.text.trim_matches(['-', '*', ' ']).to_ascii_lowercase();
    let is_moot = text.is_empty()
        || ["n/a", "none", "never", "not applicable"].iter().any(|start| text.starts_with(start));
    let missing: Vec<_> = STANDARD
        .into_iter()
        .filter(|field| !errors.fields.iter().any(|known| known == field))
        .collect();
    if !is_moot && !missing.is_empty() {
        let missing =
            missing.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ");
        let message =
            format!("errors are described without the standard error object: no {missing}");
        let found = Diagnostic::new(&RULE, tool.origin_of(&errors.place), message)
            .expected("status, error_type, error_message, error_details");
        report.push(
            found.hint("show `{\"status\": \"failure\", \"error_type\": …, \"error_message\": …, \"error_details\": {…}}`"),
        );
    }
}

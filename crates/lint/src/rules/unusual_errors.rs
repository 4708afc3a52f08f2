//! Error sections without the standard error object.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC409",
    name: "unusual-errors",
    severity: Severity::Warning,
    why: "A failed call returns an object with `status`, `error_type`, `error_message` and \
          optionally `error_details`. With one form for all tools, agents can react to errors; \
          otherwise they have to interpret prose. Show the object where errors are described, or \
          list its fields in the result.",
    bad: include_str!("examples/unusual_errors.md"),
    good: include_str!("examples/count_lines.md"),
};

/// The fields that every standard error object has.
const STANDARD: [&str; 3] = ["status", "error_type", "error_message"];

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let Some(errors) = tool.details.as_ref().and_then(|details| details.errors.as_ref()) else {
        return;
    };
    let text = errors.text.trim_matches(['-', '*', ' ']).to_ascii_lowercase();
    // These words declare that the tool cannot fail; it needs no error object.
    let is_not_applicable = text.is_empty()
        || ["n/a", "none", "never", "not applicable"].iter().any(|start| text.starts_with(start));
    let missing: Vec<_> = STANDARD
        .into_iter()
        .filter(|field| !errors.fields.iter().any(|known| known == field))
        .collect();
    if !is_not_applicable && !missing.is_empty() {
        let missing =
            missing.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ");
        let message = format!("the described errors lack {missing} of the standard error object");
        let found = Diagnostic::new(&RULE, tool.origin_of(&errors.location), message)
            .with_expected("status, error_type, error_message, error_details");
        sink.push(
            found.hint("show `{\"status\": \"failure\", \"error_type\": …, \"error_message\": …, \"error_details\": {…}}`"),
        );
    }
}

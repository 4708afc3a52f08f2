//! Placeholders of a template that were not replaced.

use catalog::{Diagnostic, Location, Origin, Rule, Severity, SpecDetails, Tool};
use serde_json::Value;

use crate::{
    sink::DiagnosticSink,
    text::{Role, collect_texts},
};

pub(crate) static RULE: Rule = Rule {
    code: "TC413",
    name: "placeholder-text",
    severity: Severity::Warning,
    why: "Text in brackets, `TODO` or a name such as `param1` is a placeholder of a template. A \
          model takes it for the real text.",
    bad: include_str!("examples/placeholder_text.md"),
    good: include_str!("examples/count_lines.md"),
};

/// First words of placeholders in brackets, such as `[Brief description]`.
const PLACEHOLDER_WORDS: [&str; 16] = [
    "brief",
    "description",
    "describe",
    "your",
    "example",
    "explain",
    "if",
    "note",
    "parameter",
    "module",
    "tool",
    "insert",
    "todo",
    "placeholder",
    "commonly",
    "e.g",
];

/// Maximum number of characters of a placeholder that a message quotes.
const MAX_QUOTED: usize = 60;

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    for text in &collect_texts(tool) {
        let placeholder = match text.role {
            Role::Value => find_in_string(text.text),
            _ if text.is_prose() || text.is_name() => find_placeholder(text.text),
            _ => None,
        };
        if let Some(placeholder) = placeholder {
            sink.push(placeholder_diagnostic(text.origin(), &text.describe(), placeholder));
        }
    }
    let Some(details) = &tool.details else { return };
    let in_sections = section_texts(details)
        .filter_map(|(subject, text, location)| Some((subject, find_placeholder(text)?, location)));
    let in_values = example_values(details)
        .filter_map(|(subject, value, location)| Some((subject, find_in_value(value)?, location)));
    for (subject, placeholder, location) in in_sections.chain(in_values) {
        sink.push(placeholder_diagnostic(tool.origin_of(location), subject, placeholder));
    }
}

/// The prose of a specification outside of the texts that every tool has.
fn section_texts(details: &SpecDetails) -> impl Iterator<Item = (&'static str, &str, &Location)> {
    let security = details
        .security
        .iter()
        .map(|remark| ("the section on security", remark.text.as_str(), &remark.location));
    let errors = details
        .errors
        .iter()
        .map(|errors| ("the section on errors", errors.text.as_str(), &errors.location));
    let idempotency = details
        .idempotency
        .iter()
        .map(|section| ("the section on idempotency", section.text.as_str(), &section.location));
    let fields = details
        .outputs
        .iter()
        .map(|field| ("a field of the result", field.description.as_str(), &field.location));
    security.chain(errors).chain(idempotency).chain(fields)
}

/// The values in the examples of a specification.
fn example_values(
    details: &SpecDetails,
) -> impl Iterator<Item = (&'static str, &Value, &Location)> {
    let results = details.outputs.iter().filter_map(|field| {
        Some(("a value of the result", field.example.as_ref()?, &field.location))
    });
    let calls = details.usages.iter().filter_map(|usage| {
        Some(("an example", usage.call.as_ref()?.get("arguments")?, &usage.location))
    });
    results.chain(calls)
}

fn placeholder_diagnostic(origin: Origin, subject: &str, placeholder: &str) -> Diagnostic {
    let quoted: String = placeholder.chars().take(MAX_QUOTED).collect();
    let message = format!("{subject} still contains the placeholder \"{quoted}\"");
    Diagnostic::new(&RULE, origin, message).hint("replace or remove it")
}

/// Finds a placeholder in a string, or in a string directly inside an object.
fn find_in_value(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => find_in_string(text),
        Value::Object(members) => {
            members.values().filter_map(Value::as_str).find_map(find_in_string)
        }
        _ => None,
    }
}

/// Finds a placeholder in brackets. Unlike prose, a value may really be `TODO`.
fn find_in_string(text: &str) -> Option<&str> {
    if text.trim().starts_with('[') { find_placeholder(text) } else { None }
}

/// Finds the first placeholder in prose.
fn find_placeholder(text: &str) -> Option<&str> {
    let trimmed = text.trim();
    let markers = ["TODO", "TBD", "FIXME", "Yes/No/Partially"];
    if markers.iter().any(|marker| trimmed.starts_with(marker)) {
        return trimmed.split_inclusive('.').next();
    }
    trimmed.match_indices('[').find_map(|(at, _)| {
        let inside = &trimmed[at + 1..];
        let end = inside.find(']')?;
        // `[example](page.md)` is a Markdown link.
        let is_link = inside[end + 1..].starts_with('(');
        (!is_link && is_placeholder(&inside[..end])).then(|| &trimmed[at..at + end + 2])
    })
}

/// Whether the text inside brackets is a placeholder, and not an interval, a type or JSON.
fn is_placeholder(inside: &str) -> bool {
    let first = inside.split(|c: char| !c.is_alphanumeric() && c != '.').next().unwrap_or_default();
    let first = first.trim_end_matches('.').to_ascii_lowercase();
    // `[YourToolName]` is one word; others need more than the first word, as `[tool]` may be code.
    let is_known = first.starts_with("your")
        || PLACEHOLDER_WORDS.contains(&first.as_str()) && inside.len() > first.len() + 2;
    is_known && !inside.contains(['"', '|'])
}

#[cfg(test)]
mod tests {
    use super::find_placeholder;

    #[test]
    fn distinguishes_placeholders_from_other_brackets() {
        for text in [
            "[Tool description]",
            "`[Describe any input validation.]`",
            "TODO: say more",
            "It has [YourToolName] in it",
        ] {
            assert!(find_placeholder(text).is_some(), "{text}");
        }
        for text in [
            "The interval [0, 1]",
            "See [the page](x.md)",
            "`[\"a\"]`",
            "array[string]",
            "Add a todo",
            "[example](a.md)",
        ] {
            assert!(find_placeholder(text).is_none(), "{text}");
        }
    }
}

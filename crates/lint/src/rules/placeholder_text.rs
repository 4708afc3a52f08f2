//! Text of a template that nobody has replaced.

use catalog::{Diagnostic, Origin, Rule, Severity, Tool};
use serde_json::Value;

use crate::{
    check::Report,
    text::{Role, texts},
};

pub(crate) static RULE: Rule = Rule {
    code: "TC413",
    name: "placeholder-text",
    severity: Severity::Warning,
    why: "A text in brackets, `TODO` or a name such as `param1` is a place of a template that was to be filled in. A model \
          takes it for what the tool says.",
    bad: include_str!("examples/placeholder_text.md"),
    good: include_str!("examples/count_lines.md"),
};

/// Words that templates have in their gaps, after a bracket.
const GAPS: [&str; 16] = [
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

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    for text in &texts(tool) {
        let gap = match text.role {
            Role::Value => gap_of_value(text.text),
            _ if text.is_prose() || text.is_name() => gap(text.text),
            _ => None,
        };
        if let Some(gap) = gap {
            report.push(told(text.origin(), &text.subject(), gap));
        }
    }
    let Some(aspects) = &tool.aspects else { return };
    let security = aspects
        .security
        .iter()
        .map(|remark| ("the section on security", &remark.text, &remark.place));
    let errors =
        aspects.errors.iter().map(|errors| ("the section on errors", &errors.text, &errors.place));
    let idempotency = aspects
        .idempotency
        .iter()
        .map(|said| ("the section on idempotency", &said.text, &said.place));
    let fields = aspects
        .outputs
        .iter()
        .map(|field| ("a field of the result", &field.description, &field.place));
    for (subject, text, place) in security.chain(errors).chain(idempotency).chain(fields) {
        if let Some(gap) = gap(text) {
            report.push(told(tool.origin_of(place), subject, gap));
        }
    }
    let results = aspects
        .outputs
        .iter()
        .filter_map(|field| Some(("a value of the result", field.example.as_ref()?, &field.place)));
    let calls = aspects.usages.iter().filter_map(|usage| {
        Some(("an example", usage.call.as_ref()?.get("arguments")?, &usage.place))
    });
    for (subject, value, place) in results.chain(calls) {
        if let Some(gap) = gap_in(value) {
            report.push(told(tool.origin_of(place), subject, gap));
        }
    }
}

fn told(origin: Origin, subject: &str, gap: &str) -> Diagnostic {
    let gap: String = gap.chars().take(60).collect();
    Diagnostic::new(&RULE, origin, format!("{subject} has a place to be filled in: \"{gap}\""))
        .hint("replace it, or take it out")
}

/// The first place in a value that is to be filled in: a text, or one right inside an object.
fn gap_in(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => gap_of_value(text),
        Value::Object(members) => members.values().filter_map(Value::as_str).find_map(gap_of_value),
        _ => None,
    }
}

/// A value may be `TODO`; one in brackets of a template is none.
fn gap_of_value(text: &str) -> Option<&str> {
    text.trim().starts_with('[').then(|| gap(text)).flatten()
}

/// The first place in a text that is to be filled in.
fn gap(text: &str) -> Option<&str> {
    let trimmed = text.trim();
    if ["TODO", "TBD", "FIXME", "Yes/No/Partially"].iter().any(|mark| trimmed.starts_with(mark)) {
        return trimmed.split_inclusive('.').next();
    }
    trimmed.match_indices('[').find_map(|(at, _)| {
        let inside = &trimmed[at + 1..];
        let end = inside.find(']')?;
        let is_link = inside[end + 1..].starts_with('(');
        let first = inside[..end]
            .split(|c: char| !c.is_alphanumeric() && c != '.')
            .next()?
            .trim_end_matches('.')
            .to_ascii_lowercase();
        let is_gap = first.starts_with("your")
            || GAPS.contains(&first.as_str()) && inside[..end].len() > first.len() + 2;
        (is_gap && !is_link && !inside[..end].contains(['"', '|']))
            .then(|| &trimmed[at..at + end + 2])
    })
}

#[cfg(test)]
mod tests {
    use super::gap;

    #[test]
    fn tells_gaps_from_brackets() {
        for text in [
            "[Tool description]",
            "`[Describe any input validation.]`",
            "TODO: say more",
            "It has [YourToolName] in it",
        ] {
            assert!(gap(text).is_some(), "{text}");
        }
        for text in [
            "The interval [0, 1]",
            "See [the page](x.md)",
            "`[\"a\"]`",
            "array[string]",
            "Add a todo",
            "[example](a.md)",
        ] {
            assert!(gap(text).is_none(), "{text}");
        }
    }
}

//! Descriptions that only repeat the name.

use catalog::{Diagnostic, Origin, Rule, Severity, Tool, name::split_words};
use serde_json::Value;

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC402",
    name: "uninformative-description",
    severity: Severity::Warning,
    why: "A description that repeats the name costs tokens and adds nothing. Describe what the \
          name leaves open: what changes, in which unit, with which effect.",
    bad: r#"{"name": "flush_cache", "description": "The cache of the local proxy", "command": "echo", "mutates": true,
 "subcommand": [{"name": "default", "description": "Flush cache"}]}"#,
    good: r#"{"name": "flush_cache", "description": "The cache of the local proxy", "command": "echo", "mutates": true,
 "subcommand": [{"name": "default", "description": "Drop every cached response, so that the next ones are fresh"}]}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    check_text(
        &tool.name,
        &tool.description.text,
        || ("the description".to_owned(), tool.origin.clone()),
        sink,
    );
    for (name, property) in tool.input.properties() {
        let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
        check_text(
            name,
            text,
            || (format!("the description of `{name}`"), tool.parameter_origin(name)),
            sink,
        );
    }
}

/// `subject` is lazy because most texts are fine.
fn check_text(
    name: &str,
    text: &str,
    subject: impl FnOnce() -> (String, Origin),
    sink: &mut DiagnosticSink<'_>,
) {
    // Cheap tests first: most texts are much longer than the name, or begin with another letter.
    let is_candidate = !text.is_empty()
        && text.len() <= 2 * name.len() + 8
        && first_letter(name) == first_letter(text);
    if !is_candidate || split_words(name) != split_words(text) {
        return;
    }
    let (subject, origin) = subject();
    sink.push(
        Diagnostic::new(&RULE, origin, format!("{subject} only repeats the name"))
            .hint("describe what the name leaves open"),
    );
}

fn first_letter(text: &str) -> Option<char> {
    text.chars().find(|c| c.is_alphanumeric()).and_then(|c| c.to_lowercase().next())
}

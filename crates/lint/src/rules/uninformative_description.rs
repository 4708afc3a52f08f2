//! Descriptions that only repeat the name.

use catalog::{Diagnostic, Origin, Rule, Severity, Tool, name::split_words};
use serde_json::Value;

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC402",
    name: "uninformative-description",
    severity: Severity::Warning,
    why: "A description that repeats the name costs tokens and tells a model nothing. Say what the name leaves open: what \
          is changed, in which unit, with which effect.",
    bad: r#"{"name": "flush_cache", "description": "The cache of the local proxy", "command": "echo", "mutates": true,
 "subcommand": [{"name": "default", "description": "Flush cache"}]}"#,
    good: r#"{"name": "flush_cache", "description": "The cache of the local proxy", "command": "echo", "mutates": true,
 "subcommand": [{"name": "default", "description": "Drop every cached response, so that the next ones are fresh"}]}"#,
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    report_echo(
        &tool.name,
        &tool.description.text,
        || ("the description".to_owned(), tool.origin.clone()),
        report,
    );
    for (name, property) in tool.input.properties() {
        let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
        report_echo(
            name,
            text,
            || (format!("the description of `{name}`"), tool.parameter_origin(name)),
            report,
        );
    }
}

fn report_echo(
    name: &str,
    text: &str,
    subject: impl FnOnce() -> (String, Origin),
    report: &mut Report<'_>,
) {
    // A text that is much longer than the name, or begins otherwise, cannot repeat it, and most do not.
    let is_candidate =
        !text.is_empty() && text.len() <= 2 * name.len() + 8 && initial(name) == initial(text);
    if !is_candidate || split_words(name) != split_words(text) {
        return;
    }
    let (subject, origin) = subject();
    report.push(
        Diagnostic::new(&RULE, origin, format!("{subject} only repeats the name"))
            .hint("say what the name leaves open"),
    );
}

fn initial(text: &str) -> Option<char> {
    text.chars().find(|c| c.is_alphanumeric()).and_then(|c| c.to_lowercase().next())
}

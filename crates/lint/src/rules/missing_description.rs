//! Tools and parameters that say nothing about themselves.

use catalog::{Diagnostic, Rule, Severity, Tool};
use serde_json::Value;

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC401",
    name: "missing-description",
    severity: Severity::Warning,
    why: "A model chooses a tool and fills in its arguments by their descriptions alone. Without one it guesses from the \
          name. Say in a sentence what the tool does or what the parameter means.",
    bad: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string"}}, "additionalProperties": false}}"#,
    good: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}},
 "additionalProperties": false}}"#,
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    if tool.description.text.trim().is_empty() {
        let found = Diagnostic::new(&RULE, tool.origin.clone(), "the tool has no description");
        report.push(found.hint("say in a sentence what it does and when to use it"));
    }
    for (name, property) in tool.input.properties() {
        let refers = property.get("$ref").is_some();
        let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
        if text.trim().is_empty() && !refers {
            let message = format!("the parameter `{name}` has no description");
            report.push(
                Diagnostic::new(&RULE, tool.parameter_origin(name), message)
                    .hint("say in a few words what it means"),
            );
        }
    }
}

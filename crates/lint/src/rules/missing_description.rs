//! Tools and parameters without a description.

use catalog::{Diagnostic, Rule, Severity, Tool};
use serde_json::Value;

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC401",
    name: "missing-description",
    severity: Severity::Warning,
    why: "A model chooses a tool and fills in its arguments by their descriptions alone. Without \
          one it guesses from the name. Describe in a sentence what the tool does or what the \
          parameter means.",
    bad: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string"}}, "additionalProperties": false}}"#,
    good: r#"{"name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "The name to greet"}},
 "additionalProperties": false}}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    if tool.description.text.trim().is_empty() {
        let found = Diagnostic::new(&RULE, tool.origin.clone(), "the tool has no description");
        sink.push(found.hint("describe in a sentence what it does and when to use it"));
    }
    for (name, property) in tool.input.properties() {
        // A referenced schema may be shared, and has its description where it is defined.
        let is_reference = property.get("$ref").is_some();
        let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
        if text.trim().is_empty() && !is_reference {
            let message = format!("the parameter `{name}` has no description");
            sink.push(
                Diagnostic::new(&RULE, tool.parameter_origin(name), message)
                    .hint("describe in a few words what it means"),
            );
        }
    }
}

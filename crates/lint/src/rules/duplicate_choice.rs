//! Choices that are listed twice.

use catalog::{Diagnostic, Rule, Severity, Tool};
use serde_json::Value;

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC303",
    name: "duplicate-choice",
    severity: Severity::Warning,
    why: "A choice that is listed twice is usually a typo for another one. JSON Schema requires \
          distinct values, and some clients reject a schema that repeats one.",
    bad: r#"{"name": "paint", "description": "Print a colour", "command": "echo", "mutates": false,
 "subcommand": [{"name": "default", "description": "Print a colour", "options": [
  {"name": "colour", "type": "string", "enum": ["red", "green", "red"], "description": "Which colour"}]}]}"#,
    good: r#"{"name": "paint", "description": "Print a colour", "command": "echo", "mutates": false,
 "subcommand": [{"name": "default", "description": "Print a colour", "options": [
  {"name": "colour", "type": "string", "enum": ["red", "green", "blue"], "description": "Which colour"}]}]}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    for (name, property) in tool.input.properties() {
        let choices = |schema: &Value| schema.get("enum").and_then(Value::as_array).cloned();
        let lists = [choices(property), property.get("items").and_then(choices)];
        for repeated in lists.iter().flatten().filter_map(|choices| first_repeated(choices)) {
            let message = format!("the parameter `{name}` lists the choice {repeated} twice");
            let found = Diagnostic::new(&RULE, tool.parameter_origin(name), message)
                .with_received(repeated.clone());
            sink.push(found.hint("list each choice once"));
        }
    }
}

fn first_repeated(choices: &[Value]) -> Option<&Value> {
    let mut seen = std::collections::HashSet::new();
    // Compared as JSON text, because `Value` has no hash; `1` and `"1"` stay distinct.
    choices.iter().find(|choice| !seen.insert(choice.to_string()))
}

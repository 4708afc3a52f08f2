//! Parameters and fields without an example.

use catalog::{Diagnostic, Rule, Severity, Tool};
use serde_json::Value;

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC307",
    name: "unshown-value",
    severity: Severity::Warning,
    why: "A specification gives an example for every parameter and every field of the result. An \
          example shows at a glance what a description explains, and it is checked against the \
          type. A default or a list of choices counts as one.",
    bad: include_str!("examples/unshown_value.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let Some(details) = &tool.details else { return };
    let mut push = |what: String, origin| {
        let found = Diagnostic::new(&RULE, origin, format!("{what} has no example of its type"));
        sink.push(found.hint("write one as JSON in backticks"));
    };
    for (name, property) in tool.input.properties() {
        let has_example = ["examples", "example", "default", "enum", "const"]
            .iter()
            .any(|keyword| property.get(keyword).is_some());
        // `true` and `false` need no illustration.
        let is_boolean = property.get("type").and_then(Value::as_str) == Some("boolean");
        if !has_example && !is_boolean {
            push(format!("the parameter `{name}`"), tool.parameter_origin(name));
        }
    }
    for field in details.outputs.iter().filter(|field| field.example.is_none()) {
        push(format!("the field `{}`", field.name), tool.origin_of(&field.location));
    }
}

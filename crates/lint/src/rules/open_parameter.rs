//! Parameters without a type.

use catalog::{Diagnostic, Rule, Severity, Tool};
use serde_json::Value;

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC306",
    name: "open-parameter",
    severity: Severity::Warning,
    why: "A parameter without a type accepts anything: a model guesses, and a wrong guess fails \
          only inside the tool. Declare the type. If any value is meant, write `any` in a \
          specification.",
    bad: include_str!("examples/open_parameter.md"),
    good: include_str!("examples/count_lines.md"),
};

/// Keywords that restrict the type of a value.
const TYPE_KEYWORDS: [&str; 9] =
    ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "not", "if"];

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let is_declared_any = |name: &str| {
        tool.details
            .as_ref()
            .is_some_and(|details| details.anything.iter().any(|known| known == name))
    };
    for (name, property) in tool.input.properties() {
        let has_type = matches!(property, Value::Bool(_))
            || TYPE_KEYWORDS.iter().any(|keyword| property.get(keyword).is_some());
        if !has_type && !is_declared_any(name) {
            let message = format!("the parameter `{name}` has no type");
            sink.push(
                Diagnostic::new(&RULE, tool.parameter_origin(name), message)
                    .hint("declare its type"),
            );
        }
    }
}

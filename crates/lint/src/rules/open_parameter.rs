//! Parameters without a type.

use catalog::{Diagnostic, Rule, Severity, Tool};
use serde_json::Value;

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC306",
    name: "open-parameter",
    severity: Severity::Warning,
    why: "A parameter without a type takes anything: a model guesses, and a wrong guess is noticed only inside the tool. Say \
          the type; where any value is really meant, say `any` in a specification.",
    bad: include_str!("examples/open_parameter.md"),
    good: include_str!("examples/count_lines.md"),
};

/// Keywords by which a schema says what a value is.
const SAYING: [&str; 9] = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "not", "if"];

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let is_meant = |name: &str| {
        tool.aspects
            .as_ref()
            .is_some_and(|aspects| aspects.anything.iter().any(|known| known == name))
    };
    for (name, property) in tool.input.properties() {
        let says = matches!(property, Value::Bool(_))
            || SAYING.iter().any(|keyword| property.get(keyword).is_some());
        if !says && !is_meant(name) {
            let message = format!("the parameter `{name}` has no type");
            report.push(
                Diagnostic::new(&RULE, tool.parameter_origin(name), message)
                    .hint("say what its value is"),
            );
        }
    }
}

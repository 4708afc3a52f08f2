//! Parameters and fields without an example.

use catalog::{Diagnostic, Rule, Severity, Tool};
use serde_json::Value;

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC307",
    name: "unshown-value",
    severity: Severity::Warning,
    why: "A specification gives an example for every parameter and every field of the result. A value says in a word what a \
          description says in a sentence, and it is checked against the type. A default or a list of choices serves too.",
    bad: include_str!("examples/unshown_value.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let Some(aspects) = &tool.aspects else { return };
    let mut push = |what: String, origin| {
        let found = Diagnostic::new(
            &RULE,
            origin,
            format!("{what} has no example that is a value of its type"),
        );
        report.push(found.hint("write one as JSON, in code"));
    };
    for (name, property) in tool.input.properties() {
        let shows = ["examples", "example", "default", "enum", "const"]
            .iter()
            .any(|keyword| property.get(keyword).is_some());
        let is_truth = property.get("type").and_then(Value::as_str) == Some("boolean");
        if !shows && !is_truth {
            push(format!("the parameter `{name}`"), tool.parameter_origin(name));
        }
    }
    for field in aspects.outputs.iter().filter(|field| field.example.is_none()) {
        push(format!("the field `{}`", field.name), tool.origin_of(&field.place));
    }
}

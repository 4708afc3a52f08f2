//! Examples that are no call of the tool.

use catalog::{Diagnostic, Location, Rule, Severity, Tool, aspect::Section};
use serde_json::Value;

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC407",
    name: "informal-example",
    severity: Severity::Warning,
    why: "An example shows a call as an agent makes it: an object with the `tool_name` and its `arguments`. Other spellings \
          (`tool`, `name`, `parameters`), another tool's name or a script of another language show something else.",
    bad: include_str!("examples/informal_example.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let Some(aspects) = &tool.aspects else { return };
    let mut push =
        |place: &Location, message: &str| {
            let found = Diagnostic::new(&RULE, tool.origin_of(place), message)
                .expected("tool_name and arguments");
            report.push(found.hint(format!(
                "write `{{\"tool_name\": \"{}\", \"arguments\": {{…}}}}`",
                tool.name
            )));
        };
    match aspects.section(Section::Examples) {
        Some(place) if aspects.usages.is_empty() => push(place, "no example is a call as JSON"),
        _ => {}
    }
    for usage in &aspects.usages {
        let Some(call) = &usage.call else { continue };
        match (call.get("tool_name").and_then(Value::as_str), call.get("arguments")) {
            (Some(name), Some(Value::Object(_)))
                if name == tool.name || Some(name) == tool.bare_name.as_deref() => {}
            (Some(name), Some(Value::Object(_))) => {
                push(&usage.place, &format!("the example calls `{name}`"))
            }
            _ => push(&usage.place, "the example is no call with `tool_name` and `arguments`"),
        }
    }
}

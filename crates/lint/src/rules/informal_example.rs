//! Examples that are not calls of the tool.

use catalog::{Diagnostic, Location, Rule, Severity, Tool, spec_details::Section};
use serde_json::Value;

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC407",
    name: "informal-example",
    severity: Severity::Warning,
    why: "An example shows a call as an agent sends it: an object with `tool_name` and \
          `arguments`. Other spellings (`tool`, `name`, `parameters`), the name of another tool \
          or a script in another language show something else.",
    bad: include_str!("examples/informal_example.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let Some(details) = &tool.details else { return };
    let mut push =
        |location: &Location, message: &str| {
            let found = Diagnostic::new(&RULE, tool.origin_of(location), message)
                .with_expected("tool_name and arguments");
            sink.push(found.hint(format!(
                "write `{{\"tool_name\": \"{}\", \"arguments\": {{…}}}}`",
                tool.name
            )));
        };
    match details.section(Section::Examples) {
        Some(location) if details.usages.is_empty() => push(location, "no example is a JSON call"),
        _ => {}
    }
    for usage in &details.usages {
        let Some(call) = &usage.call else { continue };
        match (call.get("tool_name").and_then(Value::as_str), call.get("arguments")) {
            (Some(name), Some(Value::Object(_)))
                // Specifications are written before a prefix is configured, so the bare name is
                // also correct.
                if name == tool.name || Some(name) == tool.bare_name.as_deref() => {}
            (Some(name), Some(Value::Object(_))) => {
                push(&usage.location, &format!("the example calls `{name}` instead of this tool"))
            }
            _ => {
                push(&usage.location, "the example is not a call with `tool_name` and `arguments`")
            }
        }
    }
}

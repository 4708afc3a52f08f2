//! Examples that are not valid JSON.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC406",
    name: "broken-example",
    severity: Severity::Warning,
    why: "A usage example must be a complete, valid JSON document that can be sent unchanged. \
          Comments, `...` and several documents in one block make it unusable: programs cannot \
          check it, and models copy the mistake.",
    bad: include_str!("examples/broken_example.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    for problem in tool
        .details
        .iter()
        .flat_map(|details| &details.usages)
        .filter_map(|usage| usage.problem.as_ref())
    {
        let message = format!("the example is not valid JSON: {}", problem.text);
        sink.push(
            Diagnostic::new(&RULE, tool.origin_of(&problem.location), message)
                .hint("write one complete call without comments"),
        );
    }
}

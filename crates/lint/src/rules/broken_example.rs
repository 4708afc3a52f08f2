//! Examples that are no JSON.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC406",
    name: "broken-example",
    severity: Severity::Warning,
    why: "A usage example is a complete, valid JSON text that can be sent as it is. Comments, `...` and several texts in one \
          block are none: a program cannot check the example, and a model copies the mistake.",
    bad: include_str!("examples/broken_example.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    for problem in tool
        .aspects
        .iter()
        .flat_map(|aspects| &aspects.usages)
        .filter_map(|usage| usage.problem.as_ref())
    {
        let message = format!("the example is no JSON: {}", problem.text);
        report.push(
            Diagnostic::new(&RULE, tool.origin_of(&problem.place), message)
                .hint("write one complete call, without comments"),
        );
    }
}

//! Fields of a result that say nothing about themselves.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC308",
    name: "undescribed-field",
    severity: Severity::Warning,
    why: "What a tool returns is read by a model that decides what to do next. A field without a description or a type is \
          only a name to it.",
    bad: include_str!("examples/undescribed_field.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    for field in tool.aspects.iter().flat_map(|aspects| &aspects.outputs) {
        let missing = match (field.description.trim().is_empty(), field.is_typed) {
            (false, true) => continue,
            (true, true) => "description",
            (false, false) => "type",
            (true, false) => "description and no type",
        };
        let message = format!("the field `{}` has no {missing}", field.name);
        report.push(
            Diagnostic::new(&RULE, tool.origin_of(&field.place), message)
                .hint("say what it is, in a table of fields"),
        );
    }
}

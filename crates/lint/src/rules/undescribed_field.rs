//! Fields of a result without a description or a type.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC308",
    name: "undescribed-field",
    severity: Severity::Warning,
    why: "A model decides by the result what to do next. Without a description and a type, a \
          field is only a name to it.",
    bad: include_str!("examples/undescribed_field.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    for field in tool.details.iter().flat_map(|details| &details.outputs) {
        let missing = match (field.description.trim().is_empty(), field.is_typed) {
            (false, true) => continue,
            (true, true) => "description",
            (false, false) => "type",
            (true, false) => "description and no type",
        };
        let message = format!("the field `{}` has no {missing}", field.name);
        sink.push(
            Diagnostic::new(&RULE, tool.origin_of(&field.location), message)
                .hint("describe it in a table of fields"),
        );
    }
}

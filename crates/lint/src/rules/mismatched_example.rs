//! Examples that the tool itself would reject.

use catalog::{Diagnostic, Origin, Rule, Severity, Tool};
use serde_json::Value;

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC408",
    name: "mismatched-example",
    severity: Severity::Warning,
    why: "The arguments of an example must match the tool's own schema. Otherwise a call that \
          follows the example is rejected. Correct the example or the schema.",
    bad: include_str!("examples/mismatched_example.md"),
    good: include_str!("examples/count_lines.md"),
};

/// Maximum number of reported errors of one example.
const MAX_ERRORS: usize = 3;

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let calls = tool.details.iter().flat_map(|details| &details.usages);
    for usage in calls {
        let call = usage.call.as_ref().filter(|call| call.get("tool_name").is_some());
        if let Some(arguments) = call.and_then(|call| call.get("arguments")) {
            check_arguments(tool, arguments, tool.origin_of(&usage.location), sink);
        }
    }
    // The examples of a specification are usages already.
    if tool.details.is_none() {
        for example in &tool.description.examples {
            check_arguments(
                tool,
                &Value::Object(example.arguments.clone()),
                tool.origin.clone(),
                sink,
            );
        }
    }
}

fn check_arguments(tool: &Tool, arguments: &Value, origin: Origin, sink: &mut DiagnosticSink<'_>) {
    for rule in &tool.constraints {
        let is_violated = |arguments| rule.is_violated(arguments).unwrap_or(true);
        if arguments.as_object().is_some_and(is_violated) {
            let message =
                format!("the arguments of an example violate the constraint `{}`", rule.rule);
            sink.push(
                Diagnostic::new(&RULE, origin.clone(), message)
                    .hint("correct the example or the constraint"),
            );
        }
    }
    // An invalid schema is reported when it is read.
    let Ok(validator) = tool.input.validator() else {
        return;
    };
    for error in validator.iter_errors(arguments).take(MAX_ERRORS) {
        let at = error.instance_path().to_string();
        let location = if at.is_empty() { String::new() } else { format!(" at `{at}`") };
        let message =
            format!("the arguments of an example do not match the schema{location}: {error}");
        sink.push(
            Diagnostic::new(&RULE, origin.clone(), message)
                .hint("correct the example or the schema"),
        );
    }
}

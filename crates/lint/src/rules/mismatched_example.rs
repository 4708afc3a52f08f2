//! Examples that the tool itself would refuse.

use catalog::{Diagnostic, Origin, Rule, Severity, Tool};
use serde_json::Value;

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC408",
    name: "mismatched-example",
    severity: Severity::Warning,
    why: "The arguments of an example must pass the tool's own schema: a model that follows the example is refused \
          otherwise. Either the example or the schema is wrong.",
    bad: include_str!("examples/mismatched_example.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let calls = tool.aspects.iter().flat_map(|aspects| &aspects.usages);
    for usage in calls {
        let call = usage.call.as_ref().filter(|call| call.get("tool_name").is_some());
        if let Some(arguments) = call.and_then(|call| call.get("arguments")) {
            hold(tool, arguments, tool.origin_of(&usage.place), report);
        }
    }
    if tool.aspects.is_none() {
        for example in &tool.description.examples {
            hold(tool, &Value::Object(example.arguments.clone()), tool.origin.clone(), report);
        }
    }
}

fn hold(tool: &Tool, arguments: &Value, origin: Origin, report: &mut Report<'_>) {
    let Ok(validator) = tool.input.validator() else {
        return;
    };
    for error in validator.iter_errors(arguments).take(3) {
        let at = error.instance_path().to_string();
        let place = if at.is_empty() { String::new() } else { format!(" at `{at}`") };
        let message = format!("the arguments of an example do not fit the schema{place}: {error}");
        report.push(
            Diagnostic::new(&RULE, origin.clone(), message)
                .hint("correct the example, or the schema"),
        );
    }
}

//! Steps of a sequence whose arguments do not match their tool.

use catalog::{
    Catalog, Diagnostic, Implementation, Rule, Severity, Tool,
    arguments::{self, ArgumentError},
    implementation::Step,
};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC207",
    name: "unfit-step",
    severity: Severity::Error,
    why: "The arguments of a step are validated like those of any call. They are fixed in the \
          definition, so a mismatch never goes away, and the sequence is rejected before its \
          first step. Give the step the arguments that its tool accepts. The sequence passes on \
          the working directory itself.",
    bad: r#"{"name": "app", "description": "Build and release", "command": "echo", "mutates": true,
 "subcommand": [
   {"name": "build", "description": "Build it", "options": [{"name": "jobs", "type": "integer", "description": "How many at once"}]},
   {"name": "release", "description": "Build, with four jobs", "sequence": [
     {"tool": "app", "subcommand": "build", "args": {"jobs": "four"}}]}]}"#,
    good: r#"{"name": "app", "description": "Build and release", "command": "echo", "mutates": true,
 "subcommand": [
   {"name": "build", "description": "Build it", "options": [{"name": "jobs", "type": "integer", "description": "How many at once"}]},
   {"name": "release", "description": "Build, with four jobs", "sequence": [
     {"tool": "app", "subcommand": "build", "args": {"jobs": 4}}]}]}"#,
};

/// The argument that a sequence passes on to its steps.
const WORKING_DIRECTORY: &str = "working_directory";

pub(crate) fn check(catalog: &Catalog, sink: &mut DiagnosticSink<'_>) {
    for tool in catalog.tools() {
        let Implementation::Sequence(sequence) = &tool.implementation else {
            continue;
        };
        for (index, step) in sequence.steps.iter().enumerate() {
            let Some(called) = catalog.get(&step.tool).filter(|called| called.is_callable()) else {
                continue;
            };
            for error in validate_step(tool, step, called) {
                let message = format!("step {}, `{}`: {}", index + 1, called.name, error.message);
                let origin = tool.step_arguments_origin(index).join(&error.path);
                let found = Diagnostic::new(&RULE, origin, message).tool(&tool.name);
                let found = found.with_expected(error.expected).with_received(error.received);
                sink.push(found.hint("correct the arguments of this step"));
            }
        }
    }
}

/// Validates the arguments of a step. An invalid schema is no error here; another rule reports it
/// where it is written.
fn validate_step(tool: &Tool, step: &Step, called: &Tool) -> Vec<ArgumentError> {
    let is_passed_on = tool.input.property(WORKING_DIRECTORY).is_some()
        && step.arguments.get(WORKING_DIRECTORY).is_none();
    let mut errors = arguments::validate(&called.input, &step.arguments).unwrap_or_default();
    errors.retain(|error| !(is_passed_on && error.path == format!("/{WORKING_DIRECTORY}")));
    errors
}

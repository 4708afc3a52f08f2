//! Steps of a sequence whose arguments their tool does not take.

use catalog::{
    Catalog, Diagnostic, Implementation, Rule, Severity, Tool,
    arguments::{self, ArgumentError},
    implementation::Step,
};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC207",
    name: "unfit-step",
    severity: Severity::Error,
    why: "The arguments of a step are checked as those of any call. They are written in the definition, so that what does \
          not fit now never will, and the sequence is refused before its first step. Give the step what its tool takes; \
          the folder is handed on by the sequence.",
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

/// The argument that a sequence hands on to its steps.
const FOLDER: &str = "working_directory";

pub(crate) fn check(catalog: &Catalog, report: &mut Report<'_>) {
    for tool in catalog.tools() {
        let Implementation::Sequence(sequence) = &tool.implementation else {
            continue;
        };
        for (index, step) in sequence.steps.iter().enumerate() {
            let Some(called) = catalog.get(&step.tool).filter(|called| called.is_callable()) else {
                continue;
            };
            for fault in faults(tool, step, called) {
                let message = format!("step {}, `{}`: {}", index + 1, called.name, fault.message);
                let found = Diagnostic::new(
                    &RULE,
                    tool.step_arguments_origin(index).below(&fault.path),
                    message,
                );
                report
                    .push(found.expected(fault.expected).received(fault.received).tool(&tool.name));
            }
        }
    }
}

/// What is wrong with the arguments of a step, whatever those of the call will be. A schema that is
/// broken is reported where it is written.
fn faults(tool: &Tool, step: &Step, called: &Tool) -> Vec<ArgumentError> {
    let is_handed_on =
        tool.input.property(FOLDER).is_some() && step.arguments.get(FOLDER).is_none();
    let mut faults = arguments::validate(&called.input, &step.arguments).unwrap_or_default();
    faults.retain(|fault| !(is_handed_on && fault.path == format!("/{FOLDER}")));
    faults
}

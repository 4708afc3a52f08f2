//! Steps of a sequence that call a missing or broken tool.

use catalog::{Catalog, Diagnostic, Rule, Severity, Tool, name};

use super::endless_sequence::called_tools;
use crate::{context::Scope, sink::DiagnosticSink};

pub(crate) static RULE: Rule = Rule {
    code: "TC205",
    name: "unknown-step",
    severity: Severity::Error,
    why: "A sequence calls other tools of the same crib by name. If the tool of a step does not \
          exist or has an error, the sequence is rejected before its first step, so it is not \
          served. A tool without a command is only a warning, because `[[bind]]` may give it \
          one. So is an unknown tool when a file is checked by itself, because the tools of \
          other files are not known then.",
    bad: r#"{"name": "release", "description": "Check, then publish", "command": "sequence", "mutates": true,
 "sequence": [{"tool": "toolcrib_no_such_tool", "subcommand": "default", "args": {}}]}"#,
    good: r#"{"name": "show_date", "description": "Dates and times", "command": "date", "mutates": false,
 "subcommand": [{"name": "default", "description": "Print the current date"}]}"#,
};

pub(crate) fn check(catalog: &Catalog, sink: &mut DiagnosticSink<'_>) {
    let severity_of_unknown =
        if sink.context.scope == Scope::Crib { Severity::Error } else { Severity::Warning };
    for tool in catalog.tools() {
        for (index, called) in
            called_tools(tool).enumerate().filter(|(_, called)| !name::BUILT_IN.contains(called))
        {
            let (problem, severity) = match catalog.get(called) {
                Some(target) if target.is_callable() => continue,
                Some(_) => ("has no command", Severity::Warning),
                None => ("does not exist", severity_of_unknown),
            };
            let near = catalog.closest(called).filter(|near| *near != called && *near != tool.name);
            let hint = near.map_or_else(
                || "use the served name of a tool of this crib".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            sink.push(step_diagnostic(tool, index, called, problem).severity(severity).hint(hint));
        }
    }
}

/// Reports sequences that call a tool with an error. Must run after all other rules.
///
/// A sequence with a broken step is broken itself, so this repeats until nothing is added.
pub(crate) fn check_broken(catalog: &Catalog, sink: &mut DiagnosticSink<'_>) {
    let mut broken = sink.broken_tools();
    loop {
        let before = broken.len();
        for tool in catalog.tools().iter().filter(|tool| called_tools(tool).next().is_some()) {
            if broken.contains(&tool.name) {
                continue;
            }
            for (index, called) in
                called_tools(tool).enumerate().filter(|(_, called)| broken.contains(*called))
            {
                sink.push(
                    step_diagnostic(tool, index, called, "has an error")
                        .hint(format!("fix `{called}`")),
                );
            }
            if called_tools(tool).any(|called| broken.contains(called)) {
                broken.insert(tool.name.clone());
            }
        }
        if broken.len() == before {
            return;
        }
    }
}

fn step_diagnostic(tool: &Tool, index: usize, called: &str, problem: &str) -> Diagnostic {
    let message = format!("step {} calls `{}`, which {problem}", index + 1, called.escape_debug());
    Diagnostic::new(&RULE, tool.step_origin(index), message).tool(&tool.name)
}

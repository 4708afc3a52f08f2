//! Sequences that call themselves.

use std::collections::HashSet;

use catalog::{Catalog, Diagnostic, Implementation, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC206",
    name: "endless-sequence",
    severity: Severity::Error,
    why: "A sequence that calls itself, directly or through another sequence, never ends. Remove \
          the step that leads back.",
    bad: r#"{"name": "again", "description": "Start over and over", "command": "sequence", "mutates": true,
 "sequence": [{"tool": "again", "subcommand": "default", "args": {}}]}"#,
    good: r#"{"name": "show_date", "description": "Dates and times", "command": "date", "mutates": false,
 "subcommand": [{"name": "default", "description": "Print the current date"}]}"#,
};

pub(crate) fn check(catalog: &Catalog, sink: &mut DiagnosticSink<'_>) {
    for tool in catalog.tools() {
        for (index, through) in called_tools(tool)
            .enumerate()
            .filter(|(_, called)| can_reach(catalog, called, &tool.name))
        {
            let message = format!("the sequence calls itself through `{through}`");
            let found =
                Diagnostic::new(&RULE, tool.step_origin(index), message).hint("remove this step");
            sink.push(found.tool(&tool.name));
        }
    }
}

/// Whether a call of `from` leads to a call of `target`.
fn can_reach(catalog: &Catalog, from: &str, target: &str) -> bool {
    let mut seen = HashSet::new();
    let mut pending = vec![from];
    while let Some(name) = pending.pop() {
        if name == target {
            return true;
        }
        // A tool is followed once: other sequences may form cycles that do not include the target.
        if let Some(tool) = catalog.get(name)
            && seen.insert(name)
        {
            pending.extend(called_tools(tool));
        }
    }
    false
}

/// The names of the tools that `tool` calls; none if it is not a sequence.
pub(super) fn called_tools(tool: &Tool) -> impl Iterator<Item = &str> {
    let sequence = if let Implementation::Sequence(sequence) = &tool.implementation {
        Some(sequence)
    } else {
        None
    };
    sequence.into_iter().flat_map(|sequence| sequence.steps.iter().map(|step| step.tool.as_str()))
}

//! Sequences that come back to themselves.

use std::collections::HashSet;

use catalog::{Catalog, Diagnostic, Implementation, Rule, Severity, Tool};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC206",
    name: "endless-sequence",
    severity: Severity::Error,
    why: "A sequence that calls itself, directly or through another sequence, never ends. Take the step that leads back out.",
    bad: r#"{"name": "again", "description": "Start over and over", "command": "sequence", "mutates": true,
 "sequence": [{"tool": "again", "subcommand": "default", "args": {}}]}"#,
    good: r#"{"name": "show_date", "description": "Dates and times", "command": "date", "mutates": false,
 "subcommand": [{"name": "default", "description": "Print the current date"}]}"#,
};

pub(crate) fn check(catalog: &Catalog, report: &mut Report<'_>) {
    for tool in catalog.tools() {
        for (index, through) in
            steps(tool).enumerate().filter(|(_, first)| reaches(catalog, first, &tool.name))
        {
            let message = format!("the sequence comes back to itself through `{through}`");
            let found =
                Diagnostic::new(&RULE, tool.step_origin(index), message).hint("take this step out");
            report.push(found.tool(&tool.name));
        }
    }
}

fn reaches(catalog: &Catalog, from: &str, goal: &str) -> bool {
    let mut seen = HashSet::new();
    let mut waiting = vec![from];
    while let Some(name) = waiting.pop() {
        if name == goal {
            return true;
        }
        if let Some(tool) = catalog.get(name)
            && seen.insert(name)
        {
            waiting.extend(steps(tool));
        }
    }
    false
}

/// The names of the tools that `tool` calls, if it is a sequence.
pub(super) fn steps(tool: &Tool) -> impl Iterator<Item = &str> {
    let sequence = if let Implementation::Sequence(sequence) = &tool.implementation {
        Some(sequence)
    } else {
        None
    };
    sequence.into_iter().flat_map(|sequence| sequence.steps.iter().map(|step| step.tool.as_str()))
}

//! Steps of a sequence that call a tool which is not there.

use catalog::{Catalog, Diagnostic, Rule, Severity, Tool, name};

use super::endless_sequence::steps;
use crate::check::{Report, Scope};

pub(crate) static RULE: Rule = Rule {
    code: "TC205",
    name: "unknown-step",
    severity: Severity::Error,
    why: "A sequence calls other tools of the same crib by their names. If the tool of one step does not exist or has an \
          error, the sequence is refused before its first step, so it is not served. A tool that is only documented may \
          be given a program by `[[bind]]`: that is a warning. So is an unknown tool when a file is checked by itself, \
          because the tools of other files are not known then.",
    bad: r#"{"name": "release", "description": "Check, then publish", "command": "sequence", "mutates": true,
 "sequence": [{"tool": "toolcrib_no_such_tool", "subcommand": "default", "args": {}}]}"#,
    good: r#"{"name": "show_date", "description": "Dates and times", "command": "date", "mutates": false,
 "subcommand": [{"name": "default", "description": "Print the current date"}]}"#,
};

pub(crate) fn check(catalog: &Catalog, report: &mut Report<'_>) {
    let unknown =
        if report.context.scope == Scope::Crib { Severity::Error } else { Severity::Warning };
    for tool in catalog.tools() {
        for (index, called) in
            steps(tool).enumerate().filter(|(_, called)| !name::BUILT_IN.contains(called))
        {
            let (problem, severity) = match catalog.get(called) {
                Some(target) if target.is_callable() => continue,
                Some(_) => ("has no command", Severity::Warning),
                None => ("does not exist", unknown),
            };
            let near = catalog.closest(called).filter(|near| *near != called && *near != tool.name);
            let hint = near.map_or_else(
                || "name a tool of this crib, as it is served".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            report.push(found(tool, index, called, problem).severity(severity).hint(hint));
        }
    }
}

/// Adds the sequences that cannot run because a tool that they call has an error. To be called when
/// everything else has been found.
pub(crate) fn check_broken(catalog: &Catalog, report: &mut Report<'_>) {
    let mut broken = report.broken();
    loop {
        let before = broken.len();
        for tool in catalog.tools().iter().filter(|tool| steps(tool).next().is_some()) {
            if broken.contains(&tool.name) {
                continue;
            }
            for (index, called) in
                steps(tool).enumerate().filter(|(_, called)| broken.contains(*called))
            {
                report.push(
                    found(tool, index, called, "has an error").hint(format!("mend `{called}`")),
                );
            }
            if steps(tool).any(|called| broken.contains(called)) {
                broken.insert(tool.name.clone());
            }
        }
        if broken.len() == before {
            return;
        }
    }
}

fn found(tool: &Tool, index: usize, called: &str, problem: &str) -> Diagnostic {
    let message = format!("step {} calls `{}`, which {problem}", index + 1, called.escape_debug());
    Diagnostic::new(&RULE, tool.step_origin(index), message).tool(&tool.name)
}

//! Steps of a sequence that call a tool which is not there.

use catalog::{Catalog, Diagnostic, Launch, Rule, Severity};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC205",
    name: "unknown-step",
    severity: Severity::Warning,
    why: "A sequence calls other tools of the same crib by their names. A step whose tool does not exist, or is documented \
          without a command, can never run, and neither can any step after it. When a file is checked by itself, the \
          tools of other files are not known.",
    bad: r#"{"name": "release", "description": "Check, then publish", "command": "sequence", "mutates": true,
 "sequence": [{"tool": "toolcrib_no_such_tool", "subcommand": "default", "args": {}}]}"#,
    good: r#"{"name": "show_date", "description": "Dates and times", "command": "date", "mutates": false,
 "subcommand": [{"name": "default", "description": "Print the current date"}]}"#,
};

pub(crate) fn check(catalog: &Catalog, report: &mut Report<'_>) {
    for tool in catalog.tools() {
        let Launch::Sequence(sequence) = &tool.launch else { continue };
        for (index, step) in sequence.steps.iter().enumerate() {
            let problem = match catalog.get(&step.tool) {
                Some(target) if target.is_callable() => continue,
                Some(_) => "has no command",
                None => "does not exist",
            };
            let message = format!("step {} calls `{}`, which {problem}", index + 1, step.tool.escape_debug());
            let near = catalog.closest(&step.tool).filter(|near| *near != step.tool && *near != tool.name);
            let hint = near
                .map_or_else(|| "name a tool of this crib, as it is served".to_owned(), |near| format!("did you mean `{near}`?"));
            report.push(Diagnostic::new(&RULE, tool.origin.clone(), message).hint(hint).tool(&tool.name));
        }
    }
}

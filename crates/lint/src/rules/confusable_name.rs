//! Names that differ only in what nobody notices.

use std::collections::HashMap;

use catalog::{Catalog, Diagnostic, Rule, Severity, name};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC202",
    name: "confusable-name",
    severity: Severity::Warning,
    why: "Two names that differ only in case or in the choice of `-`, `_` and `.` are taken for each other by models and \
          people, and some hosts fold them into one. The same holds for a name that is nearly that of a built-in tool. \
          Rename one of them so that the difference is a word.",
    bad: r#"{"name": "deploy", "description": "Ship builds", "command": "echo", "mutates": true,
 "subcommand": [{"name": "dry-run", "description": "Say what would happen"},
                {"name": "dry_run", "description": "Run without side effects"}]}"#,
    good: r#"{"name": "deploy", "description": "Ship builds", "command": "echo", "mutates": true,
 "subcommand": [{"name": "dry-run", "description": "Say what would happen"},
                {"name": "sandbox", "description": "Run without side effects"}]}"#,
};

pub(crate) fn check(catalog: &Catalog, report: &mut Report<'_>) {
    let mut first: HashMap<String, &str> =
        name::BUILT_IN.iter().map(|name| (folded(name), *name)).collect();
    for tool in catalog.tools() {
        let known = *first.entry(folded(&tool.name)).or_insert(&tool.name);
        if known != tool.name {
            let message = format!("the name `{}` is easily taken for `{known}`", tool.name);
            let found = Diagnostic::new(&RULE, tool.origin.clone(), message);
            report.push(
                found.hint("rename one of the two so that they differ in more than case or `-`, `_` and `.`").tool(&tool.name),
            );
        }
    }
}

fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).map(|c| c.to_ascii_lowercase()).collect()
}

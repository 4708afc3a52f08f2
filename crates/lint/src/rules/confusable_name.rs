//! Names that differ only in case or separators.

use std::collections::HashMap;

use catalog::{Catalog, Diagnostic, Rule, Severity, name};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC202",
    name: "confusable-name",
    severity: Severity::Warning,
    why: "Models and people confuse names that differ only in case or in `-`, `_` and `.`, and \
          some hosts treat them as one name. The same applies to a name that is close to that of \
          a built-in tool. Rename one of them so that they differ by a word.",
    bad: r#"{"name": "deploy", "description": "Ship builds", "command": "echo", "mutates": true,
 "subcommand": [{"name": "dry-run", "description": "Say what would happen"},
                {"name": "dry_run", "description": "Run without side effects"}]}"#,
    good: r#"{"name": "deploy", "description": "Ship builds", "command": "echo", "mutates": true,
 "subcommand": [{"name": "dry-run", "description": "Say what would happen"},
                {"name": "sandbox", "description": "Run without side effects"}]}"#,
};

pub(crate) fn check(catalog: &Catalog, sink: &mut DiagnosticSink<'_>) {
    // The built-in tools first, so that a definition is reported and not the tool that it
    // resembles.
    let mut names: HashMap<String, &str> =
        name::BUILT_IN.iter().map(|name| (fold(name), *name)).collect();
    for tool in catalog.tools() {
        let known = *names.entry(fold(&tool.name)).or_insert(&tool.name);
        if known != tool.name {
            let message = format!("the name `{}` is easily confused with `{known}`", tool.name);
            let found = Diagnostic::new(&RULE, tool.origin.clone(), message);
            sink.push(
                found.hint("rename one of them so that they differ in more than case, `-`, `_` and `.`").tool(&tool.name),
            );
        }
    }
}

/// The name without what hosts and people overlook.
fn fold(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).map(|c| c.to_ascii_lowercase()).collect()
}

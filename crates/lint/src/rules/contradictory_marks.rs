//! Annotations that cannot both be true.

use catalog::{Concurrency, Diagnostic, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC502",
    name: "contradictory-marks",
    severity: Severity::Error,
    why: "A tool cannot both make changes and run next to readers as if it made none. Clients \
          would trust the wrong half of such a declaration.",
    bad: r#"{"name": "wipe", "description": "Scratch space", "command": "echo", "mutates": true, "concurrency": "read_only",
 "subcommand": [{"name": "default", "description": "Erase the scratch folder"}]}"#,
    good: r#"{"name": "wipe", "description": "Scratch space", "command": "echo", "mutates": true, "concurrency": "exclusive",
 "subcommand": [{"name": "default", "description": "Erase the scratch folder"}]}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let annotations = &tool.annotations;
    let mut push = |message: &str, hint: &str| {
        sink.push(Diagnostic::new(&RULE, tool.origin.clone(), message).hint(hint))
    };
    if annotations.mutates == Some(true) && tool.concurrency == Some(Concurrency::ReadOnly) {
        push(
            "the tool declares both `\"mutates\": true` and `\"concurrency\": \"read_only\"`",
            "set `\"concurrency\": \"exclusive\"`",
        );
    }
}

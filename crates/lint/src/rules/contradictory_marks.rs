//! Annotations that cannot both be true.

use catalog::{Concurrency, Diagnostic, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC502",
    name: "contradictory-marks",
    severity: Severity::Error,
    why: "Clients run a tool that changes nothing without asking. A tool cannot both change \
          nothing and be dangerous, or write and run next to readers. Clients would trust the \
          wrong half of such a declaration.",
    bad: r#"{"name": "wipe", "description": "Scratch space", "command": "echo", "mutates": false, "dangerous": true,
 "subcommand": [{"name": "default", "description": "Erase the scratch folder"}]}"#,
    good: r#"{"name": "wipe", "description": "Scratch space", "command": "echo", "mutates": true, "dangerous": true,
 "subcommand": [{"name": "default", "description": "Erase the scratch folder"}]}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let annotations = &tool.annotations;
    let mut push = |message: &str, hint: &str| {
        sink.push(Diagnostic::new(&RULE, tool.origin.clone(), message).hint(hint))
    };
    if annotations.mutates == Some(false) && annotations.dangerous == Some(true) {
        push(
            "the tool declares both `\"mutates\": false` and `\"dangerous\": true`",
            "set `\"mutates\": true`, or remove `dangerous`",
        );
    }
    if annotations.mutates == Some(true) && tool.concurrency == Some(Concurrency::ReadOnly) {
        push(
            "the tool declares both `\"mutates\": true` and `\"concurrency\": \"read_only\"`",
            "set `\"concurrency\": \"exclusive\"`",
        );
    }
}

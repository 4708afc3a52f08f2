//! Annotations that cannot both be true.

use catalog::{Concurrency, Diagnostic, Rule, Severity, Tool};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC502",
    name: "contradictory-marks",
    severity: Severity::Error,
    why: "Clients run a tool that changes nothing without asking. One that claims to change nothing and to be dangerous, or \
          to run among readers although it writes, would be trusted for the wrong half of what it says.",
    bad: r#"{"name": "wipe", "description": "Scratch space", "command": "echo", "mutates": false, "dangerous": true,
 "subcommand": [{"name": "default", "description": "Erase the scratch folder"}]}"#,
    good: r#"{"name": "wipe", "description": "Scratch space", "command": "echo", "mutates": true, "dangerous": true,
 "subcommand": [{"name": "default", "description": "Erase the scratch folder"}]}"#,
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let annotations = &tool.annotations;
    let mut push = |message: &str, hint: &str| {
        report.push(Diagnostic::new(&RULE, tool.origin.clone(), message).hint(hint))
    };
    if annotations.mutates == Some(false) && annotations.dangerous == Some(true) {
        push(
            "the tool is marked as changing nothing and as dangerous",
            "say `\"mutates\": true`, or take `dangerous` out",
        );
    }
    if annotations.mutates == Some(true) && tool.concurrency == Some(Concurrency::ReadOnly) {
        push(
            "the tool is marked as changing something and as running among readers",
            "say `\"concurrency\": \"exclusive\"`",
        );
    }
}

//! Reports tools that declare both that they change nothing and that they are dangerous.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC509",
    name: "dangerous-reader",
    severity: Severity::Warning,
    why: "`dangerous` usually means that changes are hard to undo, so `\"mutates\": false` beside it \
          is probably a mistake: the sandbox lets the tool write nothing. Reading can be dangerous \
          as well, for example a tool that reveals secrets; such a tool asks for approval with \
          `requires_approval`.",
    bad: r#"{"name": "wipe", "description": "Scratch space", "command": "echo", "mutates": false, "dangerous": true,
 "subcommand": [{"name": "default", "description": "Erase the scratch folder"}]}"#,
    good: r#"{"name": "wipe", "description": "Scratch space", "command": "echo", "mutates": true, "dangerous": true,
 "subcommand": [{"name": "default", "description": "Erase the scratch folder"}]}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let annotations = &tool.annotations;
    if annotations.mutates == Some(false) && annotations.dangerous == Some(true) {
        let message = "the tool declares both `\"mutates\": false` and `\"dangerous\": true`";
        sink.push(Diagnostic::new(&RULE, tool.origin.clone(), message).hint(
            "set `\"mutates\": true`; if reading is what is dangerous, use `\"requires_approval\": true`",
        ));
    }
}

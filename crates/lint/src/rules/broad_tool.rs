//! Tools that claim to do anything.

use std::sync::LazyLock;

use catalog::{Diagnostic, Rule, Severity, name::split_words};

use crate::{
    phrase::Phrases,
    sink::DiagnosticSink,
    text::{Role, Text},
};

pub(crate) static RULE: Rule = Rule {
    code: "TC209",
    name: "broad-tool",
    severity: Severity::Warning,
    why: "A tool should do one thing. A tool that can do anything cannot be described, checked, \
          approved or sandboxed for what it does: approving it approves everything. Define one \
          tool for each action.",
    bad: r#"{"name": "module_proxy", "description": "Modules", "command": "echo", "mutates": true,
 "subcommand": [{"name": "default", "description": "Call any public function from any module by its path"}]}"#,
    good: r#"{"name": "module_functions", "description": "Modules", "command": "echo", "mutates": false,
 "subcommand": [{"name": "default", "description": "List the public functions of a module"}]}"#,
};

/// Claims to do anything.
static CLAIMS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "call|calls|run|runs|execute|executes|perform|performs|invoke|invokes any ..2 function|operation|action|task|tool|method|command",
        "do|does|run|runs|execute|executes|perform|performs|handle|handles anything|everything",
        "general|all|multi purpose ..1 tool",
        "whatever you want",
    ])
});

pub(crate) fn check(text: &Text<'_>, sink: &mut DiagnosticSink<'_>) {
    let found = match text.role {
        Role::Name => {
            let words = split_words(text.text);
            words
                .iter()
                .any(|word| matches!(word.as_str(), "anything" | "everything" | "whatever"))
                .then(|| text.text.to_owned())
        }
        Role::Description => CLAIMS.find(text.words()).next().map(|claim| text.quote(claim)),
        _ => None,
    };
    if let Some(found) = found {
        let message =
            format!("{} claims that the tool does anything: \"{found}\"", text.describe());
        sink.push(
            Diagnostic::new(&RULE, text.origin(), message)
                .with_received(found)
                .hint("define one tool for each action"),
        );
    }
}

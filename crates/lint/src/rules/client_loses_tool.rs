//! Schemas with which widely used clients lose a tool.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

/// Reports tools that a client would drop.
pub static RULE: Rule = Rule {
    code: "TC309",
    name: "client-loses-tool",
    severity: Severity::Warning,
    why: "Some clients silently drop a tool because of its schema, or send requests that the \
          provider of the model rejects. They get a looser schema instead, and a line in the \
          description. Declare all parameters at the root and check conditions with `constraints`, \
          so that every client gets the same. `docs/reference/clients.md` has all rules of clients; \
          `check --client NAME` checks those of one.",
    bad: r#"{"name": "send", "description": "Send a text or a code", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"text": {"type": "string", "description": "The text"}, "code": {"type": "string", "description": "A code"}},
  "additionalProperties": false, "oneOf": [{"required": ["text"]}, {"required": ["code"]}]}}"#,
    good: r#"{"name": "send", "description": "Send a text or a code", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"text": {"type": "string", "description": "The text"}, "code": {"type": "string", "description": "A code"}},
  "additionalProperties": false}}"#,
};

/// The clients whose rules are part of every check.
pub const COMMON_CLIENTS: [&str; 3] = ["claude-code", "codex", "gemini"];

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    for (problem, effects) in clients::find_losses(&COMMON_CLIENTS, tool.input.object()) {
        let effects = effects
            .iter()
            .map(|(client, effect)| format!("{} {}", client.title, effect.describe()));
        let effects: Vec<_> = effects.collect();
        let message =
            format!("some clients do not accept {}: {}", problem.what, effects.join(", "));
        let found = Diagnostic::new(&RULE, tool.origin.clone(), message);
        sink.push(found.hint(problem.describe_handling()));
    }
}

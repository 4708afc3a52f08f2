//! Schemas with which widely used clients lose a tool.

use catalog::{Diagnostic, Rule, Severity, Tool};
use clients::{Advertised, Problem};

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
    let input = tool.input.object();
    let advertised = Advertised { server: "", name: &tool.name, description: "", input };
    let mut found: Vec<(Problem, Vec<String>)> = Vec::new();
    for client in COMMON_CLIENTS.iter().filter_map(|name| clients::find(name)) {
        for problem in clients::find_problems(client.name, &advertised) {
            // The length of names depends on the name of the crib; `check --client` checks it.
            if !problem.loses_tool() || !problem.is_lowered() || problem.is_lossless() {
                continue;
            }
            let effect = format!("{} {}", client.title, problem.effect.describe());
            match found.iter_mut().find(|(other, _)| other.rule.name == problem.rule.name) {
                Some((_, effects)) => effects.push(effect),
                None => found.push((problem, vec![effect])),
            }
        }
    }
    for (problem, effects) in found {
        let message =
            format!("some clients do not accept {}: {}", problem.what, effects.join(", "));
        let found = Diagnostic::new(&RULE, tool.origin.clone(), message);
        sink.push(found.hint(problem.describe_handling()));
    }
}

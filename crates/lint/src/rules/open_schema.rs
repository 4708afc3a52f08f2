//! Schemas that accept arguments which the command line does not have.

use catalog::{Diagnostic, Implementation, Rule, Severity, Tool};
use serde_json::Value;

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC305",
    name: "open-schema",
    severity: Severity::Warning,
    why: "Without `\"additionalProperties\": false` a schema accepts every argument, but the \
          program receives only those that the schema names: a call with any other is rejected \
          when it is planned. Close the schema, so that clients see what is enforced.",
    bad: r#"{"name": "wait_a_moment", "description": "Sleep for some seconds", "command": "sleep", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"seconds": {"type": "integer", "description": "How long"}}},
 "argv": {"seconds": {"positional": true}}}"#,
    good: r#"{"name": "wait_a_moment", "description": "Sleep for some seconds", "command": "sleep", "mutates": false,
 "inputSchema": {"type": "object", "additionalProperties": false,
  "properties": {"seconds": {"type": "integer", "description": "How long"}}},
 "argv": {"seconds": {"positional": true}}}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let closes = |keyword: &str| tool.input.object().get(keyword) == Some(&Value::Bool(false));
    let is_closed = closes("additionalProperties") || closes("unevaluatedProperties");
    if matches!(&tool.implementation, Implementation::Process(process) if !process.speaks_json())
        && !is_closed
    {
        let message = "the schema accepts arguments that the program does not take; calls with them are rejected";
        let found = Diagnostic::new(&RULE, tool.origin.clone(), message);
        sink.push(
            found.hint("add `\"additionalProperties\": false`").with_expected("a closed schema"),
        );
    }
}

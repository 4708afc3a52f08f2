//! Address parameters of programs that do not declare their use of the network.

use catalog::{Diagnostic, Implementation, Rule, Severity, Tool};
use serde_json::Value;

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC304",
    name: "unreachable-address",
    severity: Severity::Warning,
    why: "A program can use the network only if its definition sets `network: true`. A program \
          that takes an address probably needs it, and would fail with \"permission denied\". If \
          the address is only stored or printed, set `network: false`.",
    bad: r#"{"name": "fetch", "description": "Download a page", "command": "curl", "mutates": false,
 "inputSchema": {"type": "object", "required": ["page"], "additionalProperties": false,
  "properties": {"page": {"type": "string", "format": "uri", "description": "Where it is"}}},
 "argv": {"page": {"positional": true}}}"#,
    good: r#"{"name": "fetch", "description": "Download a page", "command": "curl", "mutates": false, "network": true,
 "inputSchema": {"type": "object", "required": ["page"], "additionalProperties": false,
  "properties": {"page": {"type": "string", "format": "uri", "description": "Where it is"}}},
 "argv": {"page": {"positional": true}}}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    // Both answers are an answer: `false` means that the address is only stored or printed.
    if tool.annotations.network.is_some()
        || !matches!(tool.implementation, Implementation::Process(_) | Implementation::Python(_))
    {
        return;
    }
    for (name, _) in tool.input.properties().filter(|(_, schema)| is_address(schema)) {
        let message = format!(
            "the parameter `{name}` is an address, but the tool does not declare whether it uses the network"
        );
        let found = Diagnostic::new(&RULE, tool.parameter_origin(name), message);
        sink.push(found.hint(
            "set `\"network\": true`, or `\"network\": false` if the address is not visited",
        ));
    }
}

fn is_address(schema: &Value) -> bool {
    let format = schema.get("format").and_then(Value::as_str);
    matches!(format, Some("uri" | "url" | "iri")) || schema.get("items").is_some_and(is_address)
}

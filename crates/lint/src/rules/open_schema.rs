//! Schemas that let arguments through which nothing on the command line takes.

use catalog::{Diagnostic, Implementation, Rule, Severity, Tool};
use serde_json::Value;

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC305",
    name: "open-schema",
    severity: Severity::Warning,
    why: "A schema that does not say `\"additionalProperties\": false` lets every argument through, but a program takes only \
          those that the schema names: any other is refused when the call is planned. A client that believes the schema \
          would be surprised; close it, so that what is shown is what holds.",
    bad: r#"{"name": "wait_a_moment", "description": "Sleep for some seconds", "command": "sleep", "mutates": false,
 "inputSchema": {"type": "object", "properties": {"seconds": {"type": "integer", "description": "How long"}}},
 "argv": {"seconds": {"positional": true}}}"#,
    good: r#"{"name": "wait_a_moment", "description": "Sleep for some seconds", "command": "sleep", "mutates": false,
 "inputSchema": {"type": "object", "additionalProperties": false,
  "properties": {"seconds": {"type": "integer", "description": "How long"}}},
 "argv": {"seconds": {"positional": true}}}"#,
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let closes = |keyword: &str| tool.input.object().get(keyword) == Some(&Value::Bool(false));
    let is_closed = closes("additionalProperties") || closes("unevaluatedProperties");
    if matches!(&tool.implementation, Implementation::Process(process) if !process.speaks_json())
        && !is_closed
    {
        let message = "the schema lets arguments through that the program does not take, so that they are refused";
        let found = Diagnostic::new(&RULE, tool.origin.clone(), message);
        report.push(
            found.hint("add `\"additionalProperties\": false` to it").expected("a closed schema"),
        );
    }
}

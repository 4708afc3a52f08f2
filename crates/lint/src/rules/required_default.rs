//! Required parameters that have a default.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC302",
    name: "required-default",
    severity: Severity::Warning,
    why: "A default applies if the parameter is left out, but a required parameter cannot be \
          left out. So the default never applies, and a model cannot tell which of the two is \
          meant. Keep one of them.",
    bad: r#"{"name": "wait_a_moment", "description": "Sleep for some seconds", "command": "sleep", "mutates": false,
 "inputSchema": {"type": "object", "required": ["seconds"], "additionalProperties": false,
  "properties": {"seconds": {"type": "integer", "default": 5, "description": "How long"}}},
 "argv": {"seconds": {"positional": true}}}"#,
    good: r#"{"name": "wait_a_moment", "description": "Sleep for some seconds", "command": "sleep", "mutates": false,
 "inputSchema": {"type": "object", "additionalProperties": false,
  "properties": {"seconds": {"type": "integer", "default": 5, "description": "How long"}}},
 "argv": {"seconds": {"positional": true}}}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    for name in tool.input.required() {
        let default = tool.input.property(name).and_then(|property| property.get("default"));
        if default.is_some_and(|default| !default.is_null()) {
            let message = format!("the parameter `{name}` is required and has a default");
            let found = Diagnostic::new(&RULE, tool.parameter_origin(name), message);
            sink.push(found.hint("remove the default, or make the parameter optional"));
        }
    }
}

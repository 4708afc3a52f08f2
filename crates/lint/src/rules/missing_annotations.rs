//! Tools that do not declare whether they write.

use catalog::{Diagnostic, Implementation, Rule, Severity, Tool, name};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC501",
    name: "missing-annotations",
    severity: Severity::Warning,
    why: "Clients ask a person before they run a tool that may write, and run a read-only tool \
          without asking. Without annotations a tool is served as destructive: harmless tools \
          wait for approval, and people learn to approve without reading. Set `\"mutates\": \
          false` for a tool that only reads, `\"mutates\": true` for any other, and \
          `\"dangerous\": true` if the effect is hard to undo. Subcommands inherit the \
          annotations of their tool.",
    bad: r#"{"name": "show_date", "description": "Dates and times", "command": "date",
 "subcommand": [{"name": "default", "description": "Print the current date"}]}"#,
    good: r#"{"name": "show_date", "description": "Dates and times", "command": "date", "mutates": false,
 "subcommand": [{"name": "default", "description": "Print the current date"}]}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    // Built-in tools are annotated in code; a definition only describes them.
    let is_built_in = tool.implementation == Implementation::Native
        && name::BUILT_IN.contains(&tool.name.as_str());
    let is_declared =
        tool.annotations.mutates.is_some() || tool.annotations.dangerous == Some(true);
    // The tool that it redirects to has annotations of its own.
    let is_redirect = matches!(tool.implementation, Implementation::Tool(_));
    if tool.is_callable() && !is_built_in && !is_redirect && !is_declared {
        let message =
            "the tool does not declare whether it changes anything, so it is served as destructive";
        let hint = match tool.implementation {
            Implementation::R(_) => {
                "add `@keywords mcp-read-only` if it only reads, otherwise `mcp-writes`, and build again; or set `mutates` in a definition that is not generated"
            }
            _ if tool.on_mismatch.is_some() => {
                "add `mutates = false` to its `[[bind]]` if it only reads, otherwise `mutates = true`"
            }
            _ => "add `\"mutates\": false` if it only reads, otherwise `\"mutates\": true`",
        };
        sink.push(
            Diagnostic::new(&RULE, tool.origin.clone(), message)
                .hint(hint)
                .with_expected("mutates"),
        );
    }
}

//! Tools that do not say whether they write.

use catalog::{Diagnostic, Implementation, Rule, Severity, Tool, name};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC501",
    name: "missing-annotations",
    severity: Severity::Warning,
    why: "Clients ask before a tool that may write and run one that only reads without asking. A tool that says nothing is \
          served as one that may write and destroy, so that a harmless tool is held up and people learn to click yes. Say \
          `\"mutates\": false` for a tool that only reads, `\"mutates\": true` for any other, and `\"dangerous\"` for one \
          whose effect is hard to undo. Subcommands inherit what the tool says.",
    bad: r#"{"name": "show_date", "description": "Dates and times", "command": "date",
 "subcommand": [{"name": "default", "description": "Print the current date"}]}"#,
    good: r#"{"name": "show_date", "description": "Dates and times", "command": "date", "mutates": false,
 "subcommand": [{"name": "default", "description": "Print the current date"}]}"#,
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let is_built_in = tool.implementation == Implementation::Native
        && name::BUILT_IN.contains(&tool.name.as_str());
    let says = tool.annotations.mutates.is_some() || tool.annotations.dangerous == Some(true);
    // Another tool says it for itself.
    let is_another = matches!(tool.implementation, Implementation::Tool(_));
    if tool.is_callable() && !is_built_in && !is_another && !says {
        let message = "nothing says whether the tool changes anything; it is served as one that may write and destroy";
        let hint = match tool.implementation {
            Implementation::R(_) => {
                "add `@keywords mcp-read-only` and build again, or `mutates: no`, if it only reads; else `mutates: yes`"
            }
            _ if tool.on_mismatch.is_some() => {
                "add `mutates = false` to its `[[bind]]` if it only reads, else `mutates = true`"
            }
            _ => "add `\"mutates\": false` if it only reads, else `\"mutates\": true`",
        };
        report.push(
            Diagnostic::new(&RULE, tool.origin.clone(), message).hint(hint).expected("mutates"),
        );
    }
}

//! Names that become too long with the prefix of a host.

use catalog::{Diagnostic, Rule, Severity, Tool, name};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC203",
    name: "long-name",
    severity: Severity::Warning,
    why: "Hosts put the server's name in front of a tool's name, as in `mcp__my-crib__git_push`, \
          and several model APIs reject or truncate names of more than 64 characters. Shorten \
          the tool's name, a subcommand or the crib's name.",
    bad: r#"{"name": "repository_maintenance", "description": "Look after a repository", "command": "echo", "mutates": true,
 "subcommand": [{"name": "remove_branches_that_have_been_merged", "description": "Remove merged branches"}]}"#,
    good: r#"{"name": "repo", "description": "Look after a repository", "command": "echo", "mutates": true,
 "subcommand": [{"name": "prune_merged", "description": "Remove merged branches"}]}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let crib = &sink.context.crib;
    if crib.is_empty() {
        return;
    }
    let served =
        if sink.context.full_names { name::qualify(crib, &tool.name) } else { tool.name.clone() };
    // The form that Claude Code uses; other hosts have similar prefixes.
    let composed = format!("mcp__{crib}__{served}");
    let length = composed.chars().count();
    if length > name::PORTABLE_LENGTH {
        let over = length - name::PORTABLE_LENGTH;
        let message = format!(
            "hosts show the name as `{composed}`, which has {length} characters, more than {}",
            name::PORTABLE_LENGTH
        );
        let found = Diagnostic::new(&RULE, tool.origin.clone(), message);
        sink.push(
            found.hint(format!(
                "shorten the tool's name, a subcommand or the crib's name by {over}"
            )),
        );
    }
}

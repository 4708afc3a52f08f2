//! Names that grow too long once a host has put its prefix in front.

use catalog::{Diagnostic, Rule, Severity, Tool, name};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC203",
    name: "long-name",
    severity: Severity::Warning,
    why: "Hosts put the server's name in front of a tool's name, as in `mcp__my-crib__git_push`, and several model \
          interfaces refuse or cut a name of more than 64 characters. Shorten the tool, a subcommand or the crib's name.",
    bad: r#"{"name": "repository_maintenance", "description": "Look after a repository", "command": "echo", "mutates": true,
 "subcommand": [{"name": "remove_branches_that_have_been_merged", "description": "Remove merged branches"}]}"#,
    good: r#"{"name": "repo", "description": "Look after a repository", "command": "echo", "mutates": true,
 "subcommand": [{"name": "prune_merged", "description": "Remove merged branches"}]}"#,
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let crib = &report.context.crib;
    if crib.is_empty() {
        return;
    }
    let served =
        if report.context.full_names { name::qualify(crib, &tool.name) } else { tool.name.clone() };
    let composed = format!("mcp__{crib}__{served}");
    let length = composed.chars().count();
    if length > name::PORTABLE_LENGTH {
        let over = length - name::PORTABLE_LENGTH;
        let message = format!(
            "the name becomes `{composed}` in a host: {length} characters, more than {}",
            name::PORTABLE_LENGTH
        );
        let found = Diagnostic::new(&RULE, tool.origin.clone(), message);
        report.push(found.hint(format!("shorten a name on its path, or the crib's, by {over}")));
    }
}

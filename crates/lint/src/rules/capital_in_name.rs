//! Names with capitals.

use catalog::{Diagnostic, Implementation, Rule, Severity, Tool};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC208",
    name: "capital-in-name",
    severity: Severity::Warning,
    why: "The invocation name of a tool is lower case. A model that has read a hundred lower-case names writes the next one \
          so too, and a call of `countLines` as `countlines` fails. Subcommands of programs keep the program's own spelling.",
    bad: concat!(
        "# Files - MCP Tool Specification\n\n## Tool: `countLines`\n\n",
        version!(),
        purpose!(),
        "### 2. Invocation Name\n\n`countLines`\n\n",
        input!(),
        output!(),
        errors!(),
        idempotency!(),
        "### 7. Usage Examples (for MCP context)\n\n```json\n{\"tool_name\": \"countLines\", \"arguments\": {\"path\": \"a.py\"}}\n```\n\n",
        security!(),
    ),
    good: specimen!(),
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let is_command =
        matches!(tool.implementation, Implementation::Process(_)) && tool.aspects.is_none();
    if !is_command && tool.name.contains(|c: char| c.is_ascii_uppercase()) {
        let message = format!("the name `{}` has capitals", tool.name);
        report.push(
            Diagnostic::new(&RULE, tool.origin.clone(), message)
                .hint("use lower case and `_` between words"),
        );
    }
}

//! Commands that hand their arguments to a shell.

use catalog::{Diagnostic, Implementation, Rule, Severity, Tool};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC503",
    name: "shell-script",
    severity: Severity::Warning,
    why: "A shell that runs its argument as a script (`sh -c`) does whatever the caller writes: no schema bounds it. Such a \
          tool is treated as dangerous, whatever its annotations say. Name the program itself, or put the script in a file of the \
          crib and take its inputs as parameters.",
    bad: r#"{"name": "shell", "description": "Run a script", "command": "bash -c", "mutates": true,
 "subcommand": [{"name": "default", "description": "Run a script", "positional_args": [
  {"name": "script", "type": "string", "description": "The script", "required": true}]}]}"#,
    good: r#"{"name": "count_lines", "description": "Count the lines of a file", "command": "wc -l", "mutates": false,
 "subcommand": [{"name": "default", "description": "Count the lines of a file", "positional_args": [
  {"name": "file", "type": "string", "format": "path", "description": "The file", "required": true}]}]}"#,
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    if let Implementation::Process(process) = &tool.implementation
        && process.is_shell_script()
    {
        let message = format!(
            "the command lets `{}` run a script; the tool is treated as dangerous",
            process.program
        );
        let found = Diagnostic::new(&RULE, tool.origin.clone(), message);
        report.push(found.hint("name the program itself, or keep the script in a file and take its inputs as parameters"));
    }
}

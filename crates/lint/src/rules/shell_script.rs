//! Commands that pass their arguments to a shell as a script.

use catalog::{Diagnostic, Implementation, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC503",
    name: "shell-script",
    severity: Severity::Warning,
    why: "A shell that runs its argument as a script (`sh -c`) does whatever the caller writes; \
          no schema limits it. Such a tool is treated as dangerous, whatever its annotations \
          say. Run the program itself, or keep the script in a file of the crib and take its \
          inputs as parameters.",
    bad: r#"{"name": "shell", "description": "Run a script", "command": "bash -c", "mutates": true,
 "subcommand": [{"name": "default", "description": "Run a script", "positional_args": [
  {"name": "script", "type": "string", "description": "The script", "required": true}]}]}"#,
    good: r#"{"name": "count_lines", "description": "Count the lines of a file", "command": "wc -l", "mutates": false,
 "subcommand": [{"name": "default", "description": "Count the lines of a file", "positional_args": [
  {"name": "file", "type": "string", "format": "path", "description": "The file", "required": true}]}]}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    if let Implementation::Process(process) = &tool.implementation
        && process.is_shell_script()
    {
        let message = format!(
            "the command runs a script with `{}`, so the tool is treated as dangerous",
            process.program
        );
        let found = Diagnostic::new(&RULE, tool.origin.clone(), message);
        sink.push(found.hint("run the program itself, or keep the script in a file and take its inputs as parameters"));
    }
}

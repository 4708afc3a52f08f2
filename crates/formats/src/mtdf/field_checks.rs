//! Reports fields and names that are rejected, ignored or noteworthy.

use catalog::Tool;

use super::{
    rules::definition::{BUILT_IN_NAME, MISSING_COMMAND, UNSUPPORTED_FIELD},
    tree::TreeReader,
};
use crate::{object::Object, rules::definition::IGNORED_FIELD};

impl<'n> TreeReader<'n, '_> {
    pub(super) fn report_built_in(&mut self, object: &Object<'n, '_>, name: &str) {
        if self.is_built_in {
            let message = format!(
                "`{name}` is a built-in tool: this definition sets its description, not its program"
            );
            let problem = self.report.at_value(&BUILT_IN_NAME, &object.at.key("name"), message);
            self.report.push(problem.hint("choose another name for a tool of your own"));
        }
    }

    /// Renames the only tool of a definition that describes a built-in tool.
    pub(super) fn name_built_in(&mut self, name: &str) {
        // Published definitions of `status` have a leaf `run`, which would otherwise be named
        // `status_run`.
        if let ([tool], true) = (self.tools.as_mut_slice(), self.is_built_in) {
            name.clone_into(&mut tool.name);
        }
    }

    pub(super) fn report_missing_command(&mut self, object: &Object<'n, '_>) {
        if !object.has("command") && !self.is_built_in && !self.tools.iter().all(Tool::is_callable)
        {
            let problem = self.report.at_value(
                &MISSING_COMMAND,
                &object.at.key("command"),
                "without `command` the tool is documented but not served",
            );
            self.report.push(
                problem
                    .with_expected("string")
                    .hint("add `command`, or bind a command in `toolcrib.toml`"),
            );
        }
    }

    pub(super) fn reject_livelog(&mut self, object: &Object<'n, '_>) {
        let tool_type = object.choice(
            "tool_type",
            &[("command", "command"), ("livelog", "livelog")],
            self.report,
        );
        let key = match tool_type {
            Some("livelog") => "tool_type",
            _ if object.has("livelog") => "livelog",
            _ => return,
        };
        let problem = self.report.at_key(
            &UNSUPPORTED_FIELD,
            &object.at.key(key),
            "watching a log with a model (`livelog`) is not supported",
        );
        self.report.push(problem.hint("define the command that prints the log as a tool"));
    }

    /// Rejects fields that only the root can have.
    pub(super) fn reject_misplaced(&mut self, object: &Object<'n, '_>) {
        for key in
            ["inputSchema", "input_schema", "command"].into_iter().filter(|key| object.has(key))
        {
            let message = format!("`{key}` belongs to the tool, not to a subcommand");
            let problem = self.report.at_key(&UNSUPPORTED_FIELD, &object.at.key(key), message);
            self.report.push(problem.hint("move this subcommand to a definition of its own"));
        }
    }

    pub(super) fn report_ignored(&mut self, object: &Object<'n, '_>) {
        if object.has("args_template") {
            let problem = self.report.at_key(
                &UNSUPPORTED_FIELD,
                &object.at.key("args_template"),
                "`args_template` is not supported",
            );
            self.report.push(problem.hint("declare `options` and `positional_args`; values are never inserted into a shell script"));
        }
        for key in ["monitor_level", "monitor_stream"].into_iter().filter(|key| object.has(key)) {
            let problem = self.report.at_key(
                &IGNORED_FIELD,
                &object.at.key(key),
                format!("`{key}` is ignored: output is not monitored"),
            );
            self.report.push(problem);
        }
    }

    pub(super) fn report_ignored_schema(&mut self, object: &Object<'n, '_>) {
        for key in ["inputSchema", "input_schema", "argv"].into_iter().filter(|key| object.has(key))
        {
            let message = if object.has("inputSchema") || object.has("input_schema") {
                format!(
                    "`{key}` is ignored because of `subcommand`, `options` or `positional_args`"
                )
            } else {
                format!("`{key}` is ignored without `inputSchema`")
            };
            let problem = self.report.at_key(&IGNORED_FIELD, &object.at.key(key), message);
            self.report.push(problem.hint("keep one of the two ways to declare arguments"));
        }
    }
}

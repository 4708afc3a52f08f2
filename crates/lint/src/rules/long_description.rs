//! Descriptions that cost too many tokens.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC403",
    name: "long-description",
    severity: Severity::Note,
    why: "Every description is sent to the model in every conversation, whether the tool is used \
          or not. More than 4 KiB cost about a thousand tokens each time, and some hosts \
          truncate the text. Move manuals into the program's own help.",
    bad: include_str!("examples/long_description.json"),
    good: r#"{"name": "show_date", "description": "Dates and times", "command": "date", "mutates": false,
 "subcommand": [{"name": "default", "description": "Print the current date"}]}"#,
};

/// Maximum length of a description, in bytes, before it is reported.
const MAX_LENGTH: usize = 4 * 1024;

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let guidance = tool.description.guidance.as_deref().unwrap_or_default();
    let length = guidance.len() + tool.description.text.len();
    if length > MAX_LENGTH {
        let message = format!(
            "the description has {length} bytes, more than {MAX_LENGTH}: about {} tokens in every conversation",
            // English text has about four bytes per token.
            length / 4
        );
        sink.push(
            Diagnostic::new(&RULE, tool.origin.clone(), message)
                .hint("keep only what a model needs to choose and call the tool"),
        );
    }
}

//! Descriptions that cost more than they can be worth.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::check::Report;

macro_rules! thrice {
    ($text:expr) => {
        concat!($text, $text, $text)
    };
}

/// Over the limit, and spelled by repetition because nobody wants to read it.
const LONG: &str = concat!(
    r#"{"name": "show_date", "description": "Dates and times", "command": "date", "mutates": false,
 "subcommand": [{"name": "default", "description": "Print the date."#,
    thrice!(thrice!(thrice!(thrice!(" It is printed in the local time zone.")))),
    thrice!(thrice!(thrice!(" The week begins on a Monday, as it should in every calendar."))),
    r#""}]}"#
);

pub(crate) static RULE: Rule = Rule {
    code: "TC403",
    name: "long-description",
    severity: Severity::Note,
    why: "Every description is sent to the model with every conversation, whether the tool is used or not. One of more than \
          4 KiB costs about a thousand tokens each time; some hosts cut it. Move manuals into the program's own help.",
    bad: LONG,
    good: r#"{"name": "show_date", "description": "Dates and times", "command": "date", "mutates": false,
 "subcommand": [{"name": "default", "description": "Print the current date"}]}"#,
};

/// What a description may have in bytes.
const LONGEST: usize = 4 * 1024;

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let guidance = tool.description.guidance.as_deref().unwrap_or_default();
    let length = guidance.len() + tool.description.text.len();
    if length > LONGEST {
        let message = format!(
            "the description has {length} bytes, more than {LONGEST}: about {} tokens in every conversation",
            length / 4
        );
        report.push(
            Diagnostic::new(&RULE, tool.origin.clone(), message)
                .hint("keep what a model needs to choose and call the tool"),
        );
    }
}

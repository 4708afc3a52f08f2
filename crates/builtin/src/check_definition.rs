//! `check_definition`: lints the text of a definition, so that an agent can correct what it writes.
//!
//! How to write a tool: crates/toolkit/templates/tool.md.

use std::sync::Arc;

use runtime::{BoundedWork, Unfinished, WORK_TIME};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Context, ErrorType, Naming, Native, Reply};

/// Lints a definition. Takes the file name, if there is one, and the text.
pub type Checker = Arc<dyn Fn(Option<&str>, &str) -> Checked + Send + Sync>;

/// The findings in a definition.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Serialize)]
pub struct Checked {
    /// Names of the tools without errors.
    pub tools: Vec<String>,
    /// Number of errors. A tool with an error is not served.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
    /// The findings in the order of the text, at most 200.
    pub diagnostics: Vec<Finding>,
}

/// One finding.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Finding {
    /// Code of the rule; see `toolcrib explain CODE`.
    pub code: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// The problem.
    pub message: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// Name of the affected tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// Findings in one response. After these are fixed, the next call reports the others.
const MAX_FINDINGS: usize = 200;

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct CheckDefinition {
    /// The whole text of the definition.
    #[schemars(length(max = 1_000_000))]
    text: String,
    /// The name of its file, if the format follows from it: `MCP_TOOL_SPECIFICATION.md`, `tools/name.json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 255))]
    file: Option<String>,
}

const PURPOSE: &str = "Checks the text of a tool definition.\n\nReads a Markdown specification or another definition and \
                       reports all problems with line, rule and how to fix them. Writes and runs nothing.";

pub(crate) fn native(checker: &Checker) -> Native {
    let (checker, work) = (Arc::clone(checker), Arc::new(BoundedWork::default()));
    let example = CheckDefinition {
        text: "# Files - MCP Tool Specification\n\n## Tool: `count_lines`\n".to_owned(),
        file: Some("MCP_TOOL_SPECIFICATION.md".to_owned()),
    };
    Native::typed("check_definition", move |args: CheckDefinition, _: Context| {
        let (checker, work) = (Arc::clone(&checker), Arc::clone(&work));
        async move {
            // Linting a long text takes a while and must not block other calls.
            let checked = work.run(move || truncate(checker(args.file.as_deref(), &args.text)));
            checked.await.map_or_else(give_up, Reply::ok)
        }
    })
    .title("Check a definition")
    .purpose(PURPOSE)
    .usage("Pass the whole text, fix the errors and warnings, and repeat until there are none.")
    .example(example, "Reports the missing sections of the specification.")
    .category("definitions")
    .naming(Naming::Bare)
    .read_only()
}

fn give_up(unfinished: Unfinished) -> Reply<Checked> {
    match unfinished {
        Unfinished::TimedOut => {
            let seconds = WORK_TIME.as_secs();
            Reply::failure(
                format!("the check took longer than {seconds} s; check fewer tools at a time"),
                ErrorType::TooComplex,
            )
        }
        Unfinished::Busy => Reply::failure(
            "other definitions are being checked; try again later",
            ErrorType::TooManyCalls,
        ),
    }
}

fn truncate(mut checked: Checked) -> Checked {
    // The counts stay complete, so the model knows that there is more.
    checked.diagnostics.truncate(MAX_FINDINGS);
    checked
}

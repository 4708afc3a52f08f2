//! `check_definition`: what is wrong with the text of a definition, so that an agent can mend what it writes.
//!
//! How to write a tool: crates/toolkit/templates/tool.md.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Context, Naming, Native, Reply};

/// Reads and judges a text: its name, if it has one, and the text.
pub type Checker = Arc<dyn Fn(Option<&str>, &str) -> Checked + Send + Sync>;

/// What was found in a text.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Serialize)]
pub struct Checked {
    /// The names of the tools without an error.
    pub tools: Vec<String>,
    /// How many findings are errors: with any, a tool is not served.
    pub errors: usize,
    /// How many are warnings.
    pub warnings: usize,
    /// Everything that was found, in the order of the text; at most 200.
    pub diagnostics: Vec<Finding>,
}

/// One thing that was found.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Finding {
    /// The code of the rule; `toolcrib explain` tells more about it.
    pub code: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The tool that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// No more findings than this are answered: whoever mends these sees the next.
const MOST: usize = 200;

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct CheckDefinition {
    /// The whole text of the definition.
    #[schemars(length(max = 1_000_000))]
    text: String,
    /// The name of its file, where that tells the format: `MCP_TOOL_SPECIFICATION.md`, `tools/name.json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 255))]
    file: Option<String>,
}

const PURPOSE: &str = "Checks the text of a tool definition.\n\nReads a Markdown specification or another definition and tells \
                       everything that is wrong with it, with line, code and what to do. Nothing is written or run.";

pub(crate) fn native(checker: &Checker) -> Native {
    let checker = Arc::clone(checker);
    let example = CheckDefinition {
        text: "# Files - MCP Tool Specification\n\n## Tool: `count_lines`\n".to_owned(),
        file: Some("MCP_TOOL_SPECIFICATION.md".to_owned()),
    };
    Native::typed("check_definition", move |args: CheckDefinition, _: Context| {
        let checker = Arc::clone(&checker);
        async move {
            // A long text takes a while, which other calls must not wait for.
            let work = tokio::task::spawn_blocking(move || checker(args.file.as_deref(), &args.text));
            match work.await {
                Ok(checked) => Reply::ok(cut(checked)),
                Err(error) => Reply::failure(format!("the check ended early: {error}"), "internal"),
            }
        }
    })
    .title("Check a definition")
    .purpose(PURPOSE)
    .usage("Pass the whole text, mend what is an error or a warning, and pass it again until nothing is left.")
    .example(example, "Tells which sections the specification lacks.")
    .category("definitions")
    .naming(Naming::Bare)
    .read_only()
}

fn cut(mut checked: Checked) -> Checked {
    checked.diagnostics.truncate(MOST);
    checked
}

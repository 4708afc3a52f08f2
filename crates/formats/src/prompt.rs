//! Prompts from files: Markdown templates with front matter, and workflows in YAML.
//!
//! Reading returns a [`Prompt`] and its diagnostics. Rendering is up to the server, which knows the
//! arguments and the names under which tools are served.

mod markdown;
mod rules;
mod workflow;

pub use markdown::read_prompt;
pub use rules::{DUPLICATE_PROMPT, PROMPT_RULES, UNKNOWN_PROMPT_TOOL};
pub use workflow::read_workflow;

use catalog::Origin;

/// A prompt, which a user selects in a client.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// The name, by which clients offer it; usually as a slash command.
    pub name: String,
    /// The purpose. Clients list only the first line.
    pub description: String,
    /// The arguments it takes.
    pub arguments: PromptArguments,
    /// General advice on its use.
    pub usage: Option<String>,
    /// Calls as a user would type them.
    pub examples: Vec<PromptExample>,
    /// The content.
    pub body: PromptBody,
    /// The tools it refers to, so that unknown ones can be reported.
    pub tools: Vec<ToolReference>,
    /// The location of its definition.
    pub origin: Origin,
}

/// The arguments of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptArguments {
    /// Named arguments, possibly none.
    Named(Vec<ArgumentDefinition>),
    /// Any number of words and options, as on a command line. The string describes them:
    /// `<topic> [--short]`.
    CommandLine(String),
}

/// A named argument.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentDefinition {
    /// The name of the variable in the template.
    pub name: String,
    /// What a client shows when it asks for the value.
    pub description: Option<String>,
    /// Whether a call without it is rejected.
    pub required: bool,
    /// The value if the argument is omitted.
    pub default: Option<String>,
    /// The allowed values; empty if any value is allowed.
    pub choices: Vec<String>,
}

/// An example call of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptExample {
    /// The arguments as typed after the prompt's name.
    pub arguments: String,
    /// What the call demonstrates; may be empty.
    pub explanation: String,
}

/// The content of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptBody {
    /// A MiniJinja template.
    Template {
        /// The source of the template.
        source: String,
        /// Number of lines before it in the file, to locate errors that occur when it is rendered.
        lines_before: usize,
    },
    /// Text with references to tools, whose served names may have a prefix.
    Text(Vec<PromptSegment>),
}

/// A segment of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptSegment {
    /// Literal text.
    Text(String),
    /// The name of a tool as defined, to be replaced by its served name.
    Tool(String),
}

/// A reference from a prompt to a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolReference {
    /// The name of the tool as defined, without the prefix under which it is served.
    pub name: String,
    /// The location of the reference.
    pub origin: Origin,
}

/// Returns the byte offset at which a line begins. Lines are counted from 1.
fn line_start(text: &str, line: usize) -> usize {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.take(line.max(1)).last().unwrap_or(0)
}

//! Prompts from files: Markdown with front matter, whose body is a template, and workflows in YAML.
//!
//! Reading gives a [`Prompt`] and everything that is wrong with it. Rendering is for those who serve.

mod markdown;
mod rules;
mod workflow;

pub use markdown::read_prompt;
pub use rules::{DUPLICATE_PROMPT, PROMPT_RULES, UNKNOWN_PROMPT_TOOL};
pub use workflow::read_workflow;

use catalog::Origin;

/// A prompt that a person can choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// Its name.
    pub name: String,
    /// What it is for; the first line says it in short.
    pub description: String,
    /// What it takes.
    pub interface: Interface,
    /// How it is used in general.
    pub usage: Option<String>,
    /// Calls of it, as one would write them.
    pub examples: Vec<PromptExample>,
    /// What it says.
    pub body: PromptBody,
    /// Tools that it names: problems if they do not exist.
    pub tools: Vec<ToolReference>,
    /// Where it is defined.
    pub origin: Origin,
}

/// What a prompt takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Interface {
    /// Arguments with names; perhaps none.
    Named(Vec<ArgumentDefinition>),
    /// Words, in order, as many as one likes, and options among them. The text says which are meant:
    /// `<topic> [--short]`.
    Words(String),
}

/// An argument with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentDefinition {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
    /// What it is if it is not given.
    pub default: Option<String>,
    /// What it may be, if not anything.
    pub choices: Vec<String>,
}

/// A call of a prompt, and what it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptExample {
    /// The call, without the prompt's name.
    pub arguments: String,
    /// What it does.
    pub explanation: String,
}

/// What a prompt says.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptBody {
    /// A template.
    Template {
        /// Its source.
        source: String,
        /// How many lines stand before it in its file.
        lines_before: usize,
    },
    /// Text in which the names of tools are to be replaced by those under which they are served.
    Text(Vec<Piece>),
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// The name of a tool.
    Tool(String),
}

/// A tool that a prompt names.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolReference {
    /// Its name.
    pub name: String,
    /// Where it is named.
    pub origin: Origin,
}

/// The byte at which a line begins; lines count from 1.
fn line_start(text: &str, line: usize) -> usize {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.take(line.max(1)).last().unwrap_or(0)
}

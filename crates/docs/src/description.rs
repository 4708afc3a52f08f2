//! The description of a tool as a client sees it.

use catalog::{Consent, Example, Implementation, Mode, Tool};
use serde_json::Value;

use crate::{markdown::block, schema::kind};

/// What stands in the description of every tool that needs a word of consent.
const WARNING: &str = "REQUIRES EXPLICIT USER INSTRUCTION";

/// How results of long runs can be had by every client, whatever else it can do. No push is promised here.
const LATER: &str =
    "A long run answers with an operation id: `await` gives its result, `status` how far it is.";

/// How much a description says. Every word of it costs a model's attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Four sections: what it is for, the schema, how it is used, and examples.
    Full,
    /// What it is for.
    Concise,
    /// The sections but the schema, which clients are given anyway.
    SchemaLess,
}

impl Size {
    /// Describes tools in this size.
    pub fn describe(self) -> fn(&Tool) -> String {
        match self {
            Self::Full => |tool| sized(tool, Self::Full),
            Self::Concise => |tool| sized(tool, Self::Concise),
            Self::SchemaLess => |tool| sized(tool, Self::SchemaLess),
        }
    }
}

/// A tool in its usual size: native tools that come with examples in full, others concisely.
pub fn description(tool: &Tool) -> String {
    let is_native =
        tool.implementation == Implementation::Native && !tool.description.examples.is_empty();
    sized(tool, if is_native { Size::Full } else { Size::Concise })
}

fn sized(tool: &Tool, size: Size) -> String {
    let about = about(tool);
    if size == Size::Concise {
        return about;
    }
    let schema = || block("json", &Value::Object(tool.input.object().as_ref().clone()).to_string());
    let examples: String =
        tool.description.examples.iter().map(example).collect::<Vec<_>>().join("\n");
    let sections = [
        ("Description", about),
        ("JSON Schema", if size == Size::Full { schema() } else { String::new() }),
        ("Usage Instructions", block("text", &usage(tool))),
        ("Concrete Examples", examples),
    ];
    let sections = sections.into_iter().filter(|(_, text)| !text.is_empty());
    sections
        .map(|(label, text)| format!("## {label}\n\n{}", text.trim_end()))
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// The shared guidance, the tool's own text, how the result of a long run can be had, and what the
/// tool must be told before it runs, with an empty line between.
fn about(tool: &Tool) -> String {
    let text = tool.description.text.trim();
    let guidance = tool.description.guidance.as_deref().unwrap_or_default().trim();
    let warning = tool
        .consent
        .as_ref()
        .filter(|_| !text.contains(WARNING) && !guidance.contains(WARNING))
        .map(warning);
    let later = if tool.mode == Mode::Asynchronous && tool.is_callable() { LATER } else { "" };
    let parts = [guidance, text, later, warning.as_deref().unwrap_or_default()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn warning(consent: &Consent) -> String {
    let Consent { parameter, word } = consent;
    format!(
        "{WARNING}: call this only if the user has asked for exactly this, in this conversation. Say so by passing \
         `{parameter}` as `{word}`; never pass it on your own initiative, or to find out what happens."
    )
}

/// The shape of a call, under the name without its prefix, and what else is to be known of its use.
fn usage(tool: &Tool) -> String {
    let required: Vec<_> = tool.input.required().collect();
    let parameter = |(name, schema): (&str, &Value)| {
        format!("{name}{}: {}", if required.contains(&name) { "" } else { "?" }, kind(schema))
    };
    let parameters: Vec<_> = tool.input.properties().map(parameter).collect();
    let call = format!("{}({})", tool.bare_name(), parameters.join(", "));
    let more = tool.description.usage.as_deref().unwrap_or_default().trim();
    if more.is_empty() { call } else { format!("{call}\n{more}") }
}

fn example(example: &Example) -> String {
    let arguments = block("json", &Value::Object(example.arguments.clone()).to_string());
    format!("{arguments}{}\n", example.explanation.trim())
}

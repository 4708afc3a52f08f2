//! The description of a tool that a client receives.

use std::sync::Arc;

use catalog::{Consent, Example, Implementation, Tool};
use serde_json::Value;

use crate::{markdown::code_block, schema::describe_type};

/// Marks every tool that requires a consent word. Clients and tests look for this text.
const CONSENT_WARNING: &str = "REQUIRES EXPLICIT USER INSTRUCTION";

/// Maximum number of lines of a recorded example in a description.
const MAX_TRANSCRIPT_LINES: usize = 12;

/// The length of descriptions. Shorter ones take less of a model's context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescriptionSize {
    /// Four sections: description, schema, usage and examples.
    Full,
    /// Only the text of the description.
    Concise,
    /// All sections except the schema, which clients receive anyway.
    SchemaLess,
}

impl DescriptionSize {
    /// The function that describes tools in this size.
    pub fn describer(self) -> fn(&Tool) -> String {
        match self {
            Self::Full => |tool| describe_in_size(tool, Self::Full),
            Self::Concise => |tool| describe_in_size(tool, Self::Concise),
            Self::SchemaLess => |tool| describe_in_size(tool, Self::SchemaLess),
        }
    }
}

/// Describes a tool in its default size: with usage and examples if it is native and has examples,
/// concise otherwise. The schema is sent beside the description, so it is not repeated.
pub fn describe(tool: &Tool) -> String {
    let is_native = tool.implementation == Implementation::Native;
    let has_usage = is_native && !tool.description.examples.is_empty();
    let size = if has_usage { DescriptionSize::SchemaLess } else { DescriptionSize::Concise };
    describe_in_size(tool, size)
}

fn describe_in_size(tool: &Tool, size: DescriptionSize) -> String {
    let text = describe_concisely(tool);
    if size == DescriptionSize::Concise {
        return text;
    }
    let schema = if size == DescriptionSize::Full {
        code_block("json", &Value::Object(Arc::unwrap_or_clone(tool.input.to_object())).to_string())
    } else {
        String::new()
    };
    let examples = tool.description.examples.iter().map(render_example);
    let sections = [
        ("Description", text),
        ("JSON Schema", schema),
        ("Usage Instructions", code_block("text", &render_usage(tool))),
        ("Concrete Examples", examples.collect::<Vec<_>>().join("\n")),
        ("Example", tool.description.transcript.as_deref().map(shorten).unwrap_or_default()),
    ];
    let sections = sections.into_iter().filter(|(_, text)| !text.is_empty());
    sections
        .map(|(heading, text)| format!("## {heading}\n\n{}", text.trim_end()))
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// Shared guidance, the tool's own text and the consent warning, as paragraphs. How to get the
/// result of a long-running call is part of the server's instructions and of the answer of such a
/// call.
fn describe_concisely(tool: &Tool) -> String {
    let text = tool.description.text_in_context();
    let guidance = tool.description.guidance.as_deref().unwrap_or_default().trim();
    // Some authors write the warning themselves; it must not appear twice.
    let has_warning = text.contains(CONSENT_WARNING) || guidance.contains(CONSENT_WARNING);
    let consent = tool.consent.as_ref().filter(|_| !has_warning);
    let warning = consent.map(render_consent_warning).unwrap_or_default();
    let parts = [guidance, &text, &warning];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn render_consent_warning(consent: &Consent) -> String {
    let Consent { parameter, word } = consent;
    format!(
        "{CONSENT_WARNING}: call this only if the user has asked for exactly this in this conversation. Confirm it by \
         passing `{parameter}` as `{word}`; never pass it on your own initiative or to see what happens."
    )
}

/// The signature of a call and the tool's own usage notes. The name has no prefix, because clients
/// and toolsets choose their own.
fn render_usage(tool: &Tool) -> String {
    let required: Vec<_> = tool.input.required().collect();
    let parameters = tool.input.properties().map(|(name, schema)| {
        let mark = if required.contains(&name) { "" } else { "?" };
        format!("{name}{mark}: {}", describe_type(schema))
    });
    let signature = format!("{}({})", tool.bare_name(), parameters.collect::<Vec<_>>().join(", "));
    let notes = tool.description.usage.as_deref().unwrap_or_default().trim();
    if notes.is_empty() { signature } else { format!("{signature}\n{notes}") }
}

/// Shortens the recorded example of an R function to its first lines, since a description is part
/// of every conversation.
fn shorten(transcript: &str) -> String {
    let lines: Vec<_> = transcript.trim_end().lines().collect();
    let mut shown: Vec<_> = lines.iter().take(MAX_TRANSCRIPT_LINES).copied().collect();
    let left_out = format!("# … {} more lines", lines.len() - shown.len());
    if lines.len() > shown.len() {
        shown.push(&left_out);
    }
    code_block("r", &shown.join("\n"))
}

fn render_example(example: &Example) -> String {
    let arguments = code_block("json", &Value::Object(example.arguments.clone()).to_string());
    format!("{arguments}{}\n", example.explanation.trim())
}

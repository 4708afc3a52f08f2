//! Converts outcomes, resources and prompt messages to wire types.

use base64::{Engine, engine::general_purpose::STANDARD};
use catalog::{Content, Outcome};
use rmcp::model::{self as wire, CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;
use toolkit::{Body, Message, ResourceContent, Role};

use crate::{era::Era, snapshot::ServedTool};

/// The text of a result without any text.
const NO_OUTPUT: &str = "(no output)";
/// Replaces an empty document or message.
const EMPTY: &str = "(empty)";

/// Converts an outcome to the result of a call.
pub(crate) fn to_call_result(
    served: &ServedTool,
    era: Era,
    mut outcome: Outcome,
) -> CallToolResult {
    served.use_served_name(&mut outcome);
    convert(outcome, |structured| served.structured_for(era, structured))
}

/// Converts an outcome to the result of a task. Only modern clients have tasks.
pub(crate) fn to_task_result(outcome: Outcome) -> CallToolResult {
    convert(outcome, |structured| structured)
}

fn convert(outcome: Outcome, adapt: impl FnOnce(Value) -> Value) -> CallToolResult {
    let mut result = CallToolResult::default();
    // Left out on success: absent means false.
    result.is_error = outcome.failed.then_some(true);
    let addresses = find_unnamed_links(&outcome.content);
    result.content = without_blank_texts(outcome.content).into_iter().map(to_block).collect();
    result.content.extend(addresses.map(ContentBlock::text));
    if let Some(structured) = outcome.structured {
        let structured = adapt(structured);
        // Gemini CLI and Zed show the model nothing of a result without text.
        if result.content.is_empty() {
            result.content.push(ContentBlock::text(structured.to_string()));
        }
        result.structured_content = Some(structured);
    }
    result
}

/// Removes texts without a visible character, which model APIs reject, unless the result has no other
/// texts.
fn without_blank_texts(mut content: Vec<Content>) -> Vec<Content> {
    let blocks = content.len();
    content.retain(|block| !matches!(block, Content::Text(text) if is_blank(text)));
    if content.is_empty() && blocks > 0 {
        content.push(Content::Text(NO_OUTPUT.to_owned()));
    }
    content
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Returns the text, or the replacement if model APIs would reject it as blank.
fn visible(text: String, replacement: &str) -> String {
    if is_blank(&text) { replacement.to_owned() } else { text }
}

/// A text with the URIs of links that no other text contains. Copilot CLI, opencode and Zed do not show
/// links to the model.
fn find_unnamed_links(content: &[Content]) -> Option<String> {
    let is_named = |uri: &str| {
        content.iter().any(|block| matches!(block, Content::Text(text) if text.contains(uri)))
    };
    let lines: Vec<_> = content
        .iter()
        .filter_map(|block| match block {
            Content::Link { uri, name, .. } if !is_named(uri) => Some(format!("{name}: {uri}")),
            _ => None,
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

pub(crate) fn to_block(content: Content) -> ContentBlock {
    match content {
        Content::Text(text) => ContentBlock::text(visible(text, EMPTY)),
        Content::Image { data, mime_type } => ContentBlock::image(STANDARD.encode(data), mime_type),
        Content::Audio { data, mime_type } => ContentBlock::audio(STANDARD.encode(data), mime_type),
        Content::Resource { uri, mime_type, text } => {
            let text = visible(text, EMPTY);
            ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(mime_type))
        }
        Content::Link { uri, name, mime_type } => {
            ContentBlock::resource_link(wire::Resource::new(uri, name).with_mime_type(mime_type))
        }
    }
}

pub(crate) fn to_resource_contents(content: ResourceContent) -> ResourceContents {
    let contents = match content.body {
        Body::Text(text) => ResourceContents::text(text, content.uri),
        Body::Bytes(bytes) => ResourceContents::blob(STANDARD.encode(bytes), content.uri),
    };
    contents.with_mime_type(content.mime_type)
}

pub(crate) fn to_prompt_message(message: Message) -> wire::PromptMessage {
    let role = match message.role {
        Role::User => wire::Role::User,
        Role::Assistant => wire::Role::Assistant,
    };
    wire::PromptMessage::new(role, to_block(message.content))
}

//! Outcomes, resources and messages on the wire.

use base64::{Engine, engine::general_purpose::STANDARD};
use catalog::{Content, Outcome};
use rmcp::model::{self as wire, CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;
use toolkit::{Body, Message, ResourceContent, Role};

use crate::{era::Era, snapshot::Served};

/// An outcome as the result of a call.
pub(crate) fn result(served: &Served, era: Era, outcome: Outcome) -> CallToolResult {
    rendered(outcome, |structured| served.structured(era, structured))
}

/// An outcome as the result of a task, which only modern clients have.
pub(crate) fn task_result(outcome: Outcome) -> CallToolResult {
    rendered(outcome, |structured| structured)
}

fn rendered(outcome: Outcome, structured_for: impl FnOnce(Value) -> Value) -> CallToolResult {
    let mut result = CallToolResult::default();
    result.is_error = outcome.failed.then_some(true);
    result.content = outcome.content.into_iter().map(block).collect();
    if let Some(structured) = outcome.structured {
        let structured = structured_for(structured);
        // Clients that know no structured content read the same as text.
        if result.content.is_empty() {
            result.content.push(ContentBlock::text(structured.to_string()));
        }
        result.structured_content = Some(structured);
    }
    result
}

/// A piece of content.
pub(crate) fn block(content: Content) -> ContentBlock {
    match content {
        Content::Text(text) => ContentBlock::text(text),
        Content::Image { data, mime_type } => ContentBlock::image(STANDARD.encode(data), mime_type),
        Content::Audio { data, mime_type } => ContentBlock::audio(STANDARD.encode(data), mime_type),
        Content::Resource { uri, mime_type, text } => {
            ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(mime_type))
        }
        Content::Link { uri, name, mime_type } => {
            ContentBlock::resource_link(wire::Resource::new(uri, name).with_mime_type(mime_type))
        }
    }
}

/// The content of a resource.
pub(crate) fn resource(content: ResourceContent) -> ResourceContents {
    let contents = match content.body {
        Body::Text(text) => ResourceContents::text(text, content.uri),
        Body::Bytes(bytes) => ResourceContents::blob(STANDARD.encode(bytes), content.uri),
    };
    contents.with_mime_type(content.mime_type)
}

/// A message of a prompt.
pub(crate) fn message(message: Message) -> wire::PromptMessage {
    let role = match message.role {
        Role::User => wire::Role::User,
        Role::Assistant => wire::Role::Assistant,
    };
    wire::PromptMessage::new(role, block(message.content))
}

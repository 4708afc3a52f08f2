//! What the tools for documents answer: a text for models, the same for programs, and a link.

use toolkit::{Content, Failure, Reply};

use super::{name::DocumentName, uri};

/// The media type of documents.
pub(super) const MARKDOWN: &str = "text/markdown";

/// A failure, told in its own words.
pub(super) fn failed<T>(failure: Failure) -> Reply<T> {
    let content = vec![Content::Text(failure.message.clone())];
    Reply::failure(failure.message, failure.error_type).data(failure.details).content(content)
}

/// A link to a document.
pub(super) fn link(name: &DocumentName) -> Content {
    Content::Link {
        uri: uri::for_document(name),
        name: name.to_string(),
        mime_type: MARKDOWN.to_owned(),
    }
}

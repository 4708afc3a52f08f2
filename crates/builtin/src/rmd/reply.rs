//! Parts of replies that the R Markdown tools share.

use toolkit::{Content, Failure, Reply};

use super::{name::DocumentName, uri};

/// The media type of documents.
pub(super) const MARKDOWN: &str = "text/markdown";

/// A reply for a failure. Its text is the bare message, as other R Markdown servers document it.
pub(super) fn failure_reply<T>(failure: Failure) -> Reply<T> {
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

//! The reply to an expression: documents and failures, as JSON and as text for a model.

use std::borrow::Cow;
use toolkit::ErrorType;

use schemars::JsonSchema;
use serde::Serialize;

/// How the label of a document begins.
const LABEL: &str = "[guide://";

/// The reply to an expression.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct ContentReply {
    /// The documents, in the order of the expression.
    pub parts: Vec<Part>,
    /// Terms and documents that were not found or could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<ContentFailure>,
    /// Documents that were left out because a required flag does not match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filtered: Vec<Filtered>,
    /// Documents that did not fit into the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Omitted>,
}

/// One document.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Part {
    /// URI of the document.
    pub uri: String,
    /// Title in its front matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether it is information or instruction.
    pub kind: PartKind,
    /// The text, without front matter.
    pub text: String,
}

/// Whether a document is information or instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// Information.
    Information,
    /// Instruction: its category allows it and its front matter declares it.
    Instruction,
}

/// A term or document that was not found or could not be read.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct ContentFailure {
    /// A term of the expression, or the URI of a document.
    pub of: String,
    /// Type of the error, for programs.
    #[schemars(with = "String")]
    pub error_type: ErrorType,
    /// The reason and what to do.
    pub error: String,
}

/// A document that was left out because a required flag does not match.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Filtered {
    /// URI of the document.
    pub uri: String,
    /// Name of the flag.
    pub requires: String,
}

/// Documents that did not fit into the response.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Omitted {
    /// Number of documents.
    pub count: usize,
    /// URIs of the first ones, readable as resources.
    pub uris: Vec<String>,
    /// How to read them.
    pub hint: String,
}

impl Part {
    /// The text after a label line with URI, title and kind. No other line looks like a label, so that
    /// a document cannot pose as an instruction.
    pub fn to_labelled_text(&self) -> String {
        let kind = match self.kind {
            PartKind::Information => "information",
            PartKind::Instruction => "instruction",
        };
        let title = self
            .title
            .as_ref()
            .map(|title| format!(", {}", sanitize_title(title)))
            .unwrap_or_default();
        format!("[{}{title} ({kind})]\n{}", self.uri, escape_labels(&self.text))
    }
}

/// Removes what would let a title end the label or change the kind in it.
fn sanitize_title(title: &str) -> String {
    let plain: String = title
        .chars()
        .filter(|c| !"[]()".contains(*c))
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Escapes lines that look like a label with a backslash.
fn escape_labels(text: &str) -> Cow<'_, str> {
    if !text.contains(LABEL) {
        return Cow::Borrowed(text);
    }
    // All characters that a model may read as a line break, not only those of `str::lines`.
    let is_line_break =
        |c: char| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let escaped = text.split_inclusive(is_line_break).map(|line| {
        if line.trim_start().starts_with(LABEL) { format!("\\{line}") } else { line.to_owned() }
    });
    Cow::Owned(escaped.collect())
}

impl ContentReply {
    /// Remarks on what is missing in the reply; `None` if it is complete.
    pub fn remarks(&self) -> Option<String> {
        let failures = self
            .failures
            .iter()
            .map(|problem| format!("Not read: `{}`: {}", problem.of, problem.error));
        let filtered = self
            .filtered
            .iter()
            .map(|one| format!("Left out: `{}` requires the flag `{}`", one.uri, one.requires));
        let omitted = self.omitted.iter().map(|omitted| {
            let more = omitted.count - omitted.uris.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("Did not fit: {}{more}. {}", omitted.uris.join(", "), omitted.hint)
        });
        let remarks: Vec<_> = failures.chain(filtered).chain(omitted).collect();
        (!remarks.is_empty()).then(|| escape_labels(&remarks.join("\n")).into_owned())
    }

    /// The error type of a reply without documents: the first that is not `not_found`.
    pub(super) fn error_type(&self) -> ErrorType {
        let other = self
            .failures
            .iter()
            .map(|problem| problem.error_type)
            .find(|kind| *kind != ErrorType::NotFound);
        match (other, &self.omitted) {
            (Some(kind), _) => kind,
            (None, Some(_)) => ErrorType::TooLarge,
            (None, None) => ErrorType::NotFound,
        }
    }

    /// The documents as one text, each with its label.
    pub fn to_text(&self) -> String {
        let texts = self.parts.iter().map(Part::to_labelled_text).chain(self.remarks());
        texts.map(|text| text.trim_end().to_owned()).collect::<Vec<_>>().join("\n\n")
    }
}

//! What was found, what was not, and why: as data, and as text for a model.

use std::borrow::Cow;
use toolkit::ErrorType;

use schemars::JsonSchema;
use serde::Serialize;

/// How the line before a document begins.
const LABEL: &str = "[guide://";

/// Everything that came of an expression.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct ContentReply {
    /// The documents, in the order asked for.
    pub parts: Vec<Part>,
    /// What could not be found or read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<ContentFailure>,
    /// Documents that need a flag which is not set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filtered: Vec<Filtered>,
    /// Documents that did not fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Omitted>,
}

/// One document.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Part {
    /// Its address.
    pub uri: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether it informs or instructs.
    pub kind: PartKind,
    /// Its text.
    pub text: String,
}

/// Whether a document informs or instructs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// It informs.
    Information,
    /// It instructs: its category may, and it says that it does.
    Instruction,
}

/// Something that could not be found or read.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct ContentFailure {
    /// What was asked for: a term of the expression, or the address of a document.
    pub of: String,
    /// The kind of problem, for programs.
    #[schemars(with = "String")]
    pub error_type: ErrorType,
    /// What is wrong and what to do.
    pub error: String,
}

/// A document that needs a flag which is not set.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Filtered {
    /// Its address.
    pub uri: String,
    /// The flag.
    pub requires: String,
}

/// Documents that did not fit into the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Omitted {
    /// How many.
    pub count: usize,
    /// The addresses of the first of them, by which each can be read.
    pub uris: Vec<String>,
    /// How to get them.
    pub hint: String,
}

impl Part {
    /// The text with a line before it that says where it comes from. No other line looks like it.
    pub fn labelled(&self) -> String {
        let kind = match self.kind {
            PartKind::Information => "information",
            PartKind::Instruction => "instruction",
        };
        let title = self
            .title
            .as_ref()
            .map(|title| format!(", {}", on_one_line(title)))
            .unwrap_or_default();
        format!("[{}{title} ({kind})]\n{}", self.uri, without_labels(&self.text))
    }
}

/// A title that cannot end the label it stands in, nor say of which kind the document is.
fn on_one_line(title: &str) -> String {
    let plain: String = title
        .chars()
        .filter(|c| !"[]()".contains(*c))
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in which each line that looks like a label has a backslash before it.
fn without_labels(text: &str) -> Cow<'_, str> {
    if !text.contains(LABEL) {
        return Cow::Borrowed(text);
    }
    // Whatever a reader may take for the end of a line counts as one.
    let is_end =
        |c: char| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let escaped =
        text.split_inclusive(is_end).map(|line| match line.trim_start().starts_with(LABEL) {
            true => format!("\\{line}"),
            false => line.to_owned(),
        });
    Cow::Owned(escaped.collect())
}

impl ContentReply {
    /// What else is to be said beside the documents; nothing if all went well.
    pub fn remarks(&self) -> Option<String> {
        let failures = self
            .failures
            .iter()
            .map(|problem| format!("Not read: `{}`: {}", problem.of, problem.error));
        let filtered = self
            .filtered
            .iter()
            .map(|one| format!("Left out: `{}` needs the flag `{}`", one.uri, one.requires));
        let omitted = self.omitted.iter().map(|omitted| {
            let more = omitted.count - omitted.uris.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("Did not fit: {}{more}. {}", omitted.uris.join(", "), omitted.hint)
        });
        let remarks: Vec<_> = failures.chain(filtered).chain(omitted).collect();
        (!remarks.is_empty()).then(|| without_labels(&remarks.join("\n")).into_owned())
    }

    /// The kind of failure it is that nothing was found: the first that is not the mere absence of documents.
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
    pub fn text(&self) -> String {
        let texts = self.parts.iter().map(Part::labelled).chain(self.remarks());
        texts.map(|text| text.trim_end().to_owned()).collect::<Vec<_>>().join("\n\n")
    }
}

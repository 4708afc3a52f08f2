//! What a document says of a tool beyond what a call needs, as data for rules and pages.
//!
//! Some formats ask their writers for more than a schema: sections, errors, examples, security.
//! What they wrote is here, each with its place, and no rule need know how it was written.

use serde_json::Value;

use crate::Location;

/// What a document says of a tool. A tool of a format that asks for none of this has no aspects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aspects {
    /// The sections that were written, in their order.
    pub sections: Vec<(Section, Location)>,
    /// The parameters of which it says that they may be anything.
    pub anything: Vec<String>,
    /// The fields of the result.
    pub outputs: Vec<OutputField>,
    /// What is said about errors.
    pub errors: Option<ErrorText>,
    /// What is said about calling it twice.
    pub idempotency: Option<Idempotency>,
    /// Calls that show how it is used.
    pub usages: Vec<Usage>,
    /// What is said about security, point by point.
    pub security: Vec<Remark>,
    /// Its version.
    pub version: Option<Version>,
}

impl Aspects {
    /// Where a section was written.
    pub fn section(&self, section: Section) -> Option<&Location> {
        self.sections.iter().find(|(written, _)| *written == section).map(|(_, place)| place)
    }
}

/// The sections that a specification of a tool has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// What it is for.
    Purpose,
    /// The name it is called by.
    InvocationName,
    /// What it takes.
    Input,
    /// What it returns.
    Output,
    /// What can go wrong.
    Errors,
    /// What happens if it is called twice.
    Idempotency,
    /// How a call looks.
    Examples,
    /// What it can touch, and what is done about it.
    Security,
}

impl Section {
    /// Every section, in the order in which they are asked for.
    pub const ALL: [Self; 8] = [
        Self::Purpose,
        Self::InvocationName,
        Self::Input,
        Self::Output,
        Self::Errors,
        Self::Idempotency,
        Self::Examples,
        Self::Security,
    ];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Purpose => "Tool Purpose and Description",
            Self::InvocationName => "Invocation Name",
            Self::Input => "Input Schema (Parameters)",
            Self::Output => "Output Schema (Return Value)",
            Self::Errors => "Error Handling",
            Self::Idempotency => "Idempotency",
            Self::Examples => "Usage Examples (for MCP context)",
            Self::Security => "Security Considerations",
        }
    }

    /// Its number among the eight, from one.
    pub fn number(self) -> usize {
        Self::ALL.iter().position(|section| *section == self).map_or(0, |index| index + 1)
    }
}

/// A field of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputField {
    /// Its name; of a field inside another, the way there, joined by dots.
    pub name: String,
    /// What it says about itself.
    pub description: String,
    /// Whether its type is said.
    pub is_typed: bool,
    /// A value that it may have.
    pub example: Option<Value>,
    /// Where it is described.
    pub place: Location,
}

/// What is said about errors.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorText {
    /// The text, in Markdown.
    pub text: String,
    /// The fields of errors that are named in it or among the fields of the result.
    pub fields: Vec<String>,
    /// Where it stands.
    pub place: Location,
}

/// What is said about calling a tool twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Idempotency {
    /// The answer.
    pub answer: Answer,
    /// The words.
    pub text: String,
    /// Where they stand.
    pub place: Location,
}

/// Whether a second call changes nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It does not.
    Yes,
    /// It does.
    No,
    /// In part.
    Partially,
    /// It depends on something.
    Depends,
    /// The words do not say.
    Unclear,
}

/// A call that shows how a tool is used.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// The call, as far as it can be read.
    pub call: Option<Value>,
    /// Why it is no JSON, and where that shows.
    pub problem: Option<Remark>,
    /// Where it stands.
    pub place: Location,
}

/// One point of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    /// The words.
    pub text: String,
    /// Where they stand.
    pub place: Location,
}

/// A version as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// The words, without a leading `v`.
    pub text: String,
    /// Whether it is the tool's own or that of the whole document.
    pub of: VersionOf,
    /// Where it stands.
    pub place: Location,
}

/// What a version is the version of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionOf {
    /// The tool.
    Tool,
    /// The document, and so every tool in it.
    Document,
}

//! What a Markdown specification states beyond what a call needs, as data for rules and pages.
//!
//! Specifications have sections, error descriptions, examples and security notes. Rules see them
//! here, each with its location, and need not know the syntax.

use serde_json::Value;

use crate::Location;

/// What a specification states about a tool. Tools of other formats have none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpecDetails {
    /// The sections present, in document order.
    pub sections: Vec<(Section, Location)>,
    /// The parameters declared to accept any value.
    pub anything: Vec<String>,
    /// The fields of the result.
    pub outputs: Vec<OutputField>,
    /// The error section.
    pub errors: Option<ErrorText>,
    /// The idempotency section.
    pub idempotency: Option<Idempotency>,
    /// Example calls.
    pub usages: Vec<Usage>,
    /// The points of the security section.
    pub security: Vec<Remark>,
    /// The declared version, of the tool or of its document.
    pub version: Option<Version>,
}

impl SpecDetails {
    /// The location of a section.
    pub fn section(&self, section: Section) -> Option<&Location> {
        self.sections.iter().find(|(written, _)| *written == section).map(|(_, location)| location)
    }
}

/// The sections of a specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// The purpose of the tool.
    Purpose,
    /// The name to call it by.
    InvocationName,
    /// The parameters.
    Input,
    /// The result.
    Output,
    /// The possible errors.
    Errors,
    /// Whether repeated calls are safe.
    Idempotency,
    /// Example calls.
    Examples,
    /// Security considerations.
    Security,
}

impl Section {
    /// Every section, in the required order.
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

    /// The heading.
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

    /// The number of the section, from one.
    pub fn number(self) -> usize {
        Self::ALL.iter().position(|section| *section == self).map_or(0, |index| index + 1)
    }
}

/// A field of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputField {
    /// The name; for a nested field, the path joined by dots.
    pub name: String,
    /// The description, which may be empty.
    pub description: String,
    /// Whether its type is given.
    pub is_typed: bool,
    /// An example value.
    pub example: Option<Value>,
    /// Where the field is described.
    pub location: Location,
}

/// The error section.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorText {
    /// The text, in Markdown.
    pub text: String,
    /// The names of error fields mentioned in it or among the fields of the result.
    pub fields: Vec<String>,
    /// Where the section is in the document.
    pub location: Location,
}

/// The idempotency section.
#[derive(Clone, Debug, PartialEq)]
pub struct Idempotency {
    /// The claim that the section makes.
    pub claim: IdempotencyClaim,
    /// The whole text of the section.
    pub text: String,
    /// Where the section is in the document.
    pub location: Location,
}

/// Whether a specification claims that a repeated call changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdempotencyClaim {
    /// Idempotent.
    Yes,
    /// Not idempotent.
    No,
    /// Idempotent in part.
    Partially,
    /// Depends on a condition.
    Depends,
    /// The text makes no clear statement.
    Unclear,
}

/// An example call.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// The call, as far as it could be parsed.
    pub call: Option<Value>,
    /// Why it is not valid JSON, and where.
    pub problem: Option<Remark>,
    /// Where the example is in the document.
    pub location: Location,
}

/// One point of a section.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    /// The text of the point.
    pub text: String,
    /// Where the point is in the document.
    pub location: Location,
}

/// A version as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// The text, without a leading `v`.
    pub text: String,
    /// Whether this is the version of the tool or of its document.
    pub of: VersionOf,
    /// Where the version is written.
    pub location: Location,
}

/// The subject of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionOf {
    /// The version belongs to this tool.
    Tool,
    /// The version belongs to the document, and so to every tool in it.
    Document,
}

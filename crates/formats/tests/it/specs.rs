//! Markdown specifications: what is read from them, however they are written.

mod answers;
mod bad_input;
mod corpus;
mod fixing;
mod outline;
mod schemas;
mod tables;

use catalog::{Location, SourceId, Tool};
use formats::{Document, Guidance, Reading};
use serde_json::Value;

pub(crate) fn source() -> SourceId {
    SourceId::new("docs/MCP_TOOL_SPECIFICATION.md")
}

pub(crate) fn read(text: &str) -> Reading {
    formats::read(&source(), text.as_bytes(), &Guidance::default())
}

/// Reads a page, and files that it links to by these names.
pub(crate) fn read_linked(text: &str, files: &[(&str, &str)]) -> Reading {
    let linked = |name: &str| {
        let found = files.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| "it is not there".to_owned())
    };
    Document::parse(&source(), text.as_bytes()).read_linked(&Guidance::default(), &linked)
}

/// The only tool of a page.
pub(crate) fn tool(text: &str) -> Tool {
    let mut reading = read(text);
    assert_eq!(reading.tools.len(), 1, "{:#?}", reading.diagnostics);
    reading.tools.remove(0)
}

/// A page with one tool, `greet`, of which this is said.
pub(crate) fn page(body: &str) -> String {
    format!(
        "# Greetings - MCP Tool Specification\n\n## Tool: `greet`\n\nPrint a greeting.\n\n{body}\n"
    )
}

/// The input schema of the tool of which this is said.
pub(crate) fn input(body: &str) -> Value {
    Value::Object((**tool(&page(body)).input.object()).clone())
}

pub(crate) fn names(reading: &Reading) -> Vec<&str> {
    reading.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// `warning TC804: "the text at the place" message` for each diagnostic.
pub(crate) fn findings(text: &str, reading: &Reading) -> Vec<String> {
    let shown = |found: &catalog::Diagnostic| {
        let at = match &found.origin.location {
            Location::Span(span) => text[span.clone()].lines().next().unwrap_or_default(),
            Location::Offset(_) => "offset",
            _ => "file",
        };
        format!("{} {}: {at:?} {}", found.severity.as_str(), found.code, found.message)
    };
    reading.diagnostics.iter().map(shown).collect()
}

pub(crate) fn codes(reading: &Reading) -> Vec<&str> {
    reading.diagnostics.iter().map(|found| found.code).collect()
}

//! Markdown specifications in every layout that is read.

mod annotations;
mod bad_input;
mod corpus;
mod details;
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

/// Reads a document that can link to these files, given by name and text.
pub(crate) fn read_with_files(text: &str, files: &[(&str, &str)]) -> Reading {
    let linked = |name: &str| {
        let found = files.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| "it is not there".to_owned())
    };
    Document::parse(&source(), text.as_bytes()).read_linked(&Guidance::default(), &linked)
}

/// Reads a document with exactly one tool.
pub(crate) fn read_tool(text: &str) -> Tool {
    let mut reading = read(text);
    assert_eq!(reading.tools.len(), 1, "{:#?}", reading.diagnostics);
    reading.tools.remove(0)
}

/// A document with one tool, `greet`, and this content below its purpose.
pub(crate) fn document_with(body: &str) -> String {
    format!(
        "# Greetings - MCP Tool Specification\n\n## Tool: `greet`\n\nPrint a greeting.\n\n{body}\n"
    )
}

/// Reads the input schema of the tool `greet` with this content.
pub(crate) fn read_input(body: &str) -> Value {
    Value::Object((**read_tool(&document_with(body)).input.object()).clone())
}

pub(crate) fn tool_names(reading: &Reading) -> Vec<&str> {
    reading.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// Renders each diagnostic as `warning TC804: "first line at the location" message`.
pub(crate) fn render_diagnostics(text: &str, reading: &Reading) -> Vec<String> {
    let render = |found: &catalog::Diagnostic| {
        let at = match &found.origin.location {
            Location::Span(span) => text[span.clone()].lines().next().unwrap_or_default(),
            Location::Offset(_) => "offset",
            _ => "file",
        };
        format!("{} {}: {at:?} {}", found.severity.as_str(), found.code, found.message)
    };
    reading.diagnostics.iter().map(render).collect()
}

pub(crate) fn codes(reading: &Reading) -> Vec<&str> {
    reading.diagnostics.iter().map(|found| found.code).collect()
}

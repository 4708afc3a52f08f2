//! Findings for programs: one object in version 1 of its format.

use serde::Serialize;
use serde_json::Value;

use catalog::Severity;

use crate::terminal;
use host::report::{Finding, Report};

#[derive(Serialize)]
struct CheckJson<'a> {
    version: u32,
    summary: Summary,
    diagnostics: Vec<DiagnosticJson<'a>>,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    tools: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
}

#[derive(Serialize)]
struct DiagnosticJson<'a> {
    code: &'a str,
    severity: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    /// The second location of a conflict between two.
    #[serde(skip_serializing_if = "Option::is_none")]
    also: Option<RelatedLocation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    received: Option<&'a Value>,
}

#[derive(Serialize)]
struct RelatedLocation<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

/// Prints the report as one object.
pub(crate) fn print(report: &Report<'_>) {
    terminal::json(&CheckJson {
        version: 1,
        summary: Summary {
            files: report.files,
            tools: report.tools,
            errors: report.count(Severity::Error),
            warnings: report.count(Severity::Warning),
            notes: report.count(Severity::Note),
        },
        diagnostics: report.findings.iter().map(entry).collect(),
    });
}

fn entry<'a>(finding: &'a Finding<'_>) -> DiagnosticJson<'a> {
    let diagnostic = finding.diagnostic;
    DiagnosticJson {
        code: diagnostic.code,
        severity: diagnostic.severity.as_str(),
        message: &diagnostic.message,
        hint: diagnostic.hint.as_deref(),
        file: diagnostic.origin.source.as_str(),
        line: finding.position.as_ref().map(|position| position.line),
        column: finding.position.as_ref().map(|position| position.column),
        pointer: diagnostic.origin.pointer(),
        also: finding.related.as_ref().map(|related| RelatedLocation {
            file: related.file,
            line: related.position.as_ref().map(|position| position.line),
            column: related.position.as_ref().map(|position| position.column),
        }),
        tool: diagnostic.tool.as_deref(),
        expected: diagnostic.expected.as_deref(),
        received: diagnostic.received.as_ref(),
    }
}

//! Findings as SARIF 2.1.0, the subset that code scanning reads.

use catalog::Severity;
use docs::PublishedBook;
use serde_json::{Value, json};

use crate::terminal;
use host::{
    report::{Finding, Position, Report},
    rules,
};

/// Prints the report as a SARIF log with one run.
pub(crate) fn print(report: &Report<'_>, book: Option<&PublishedBook>) {
    terminal::json(&log(report, book));
}

fn log(report: &Report<'_>, book: Option<&PublishedBook>) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "toolcrib",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules().into_iter().map(|described| rule(described, book)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": report.findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn rule(rule: &catalog::Rule, book: Option<&PublishedBook>) -> Value {
    let mut value = json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.name.replace('-', " ")},
        "fullDescription": {"text": rule.why},
        "defaultConfiguration": {"level": level(rule.severity)},
    });
    if let Some(book) = book {
        value["helpUri"] = book.rule(rule).into();
    }
    value
}

fn result(finding: &Finding<'_>) -> Value {
    let diagnostic = finding.diagnostic;
    let text = match &diagnostic.hint {
        Some(hint) => format!("{}\n{hint}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let mut result = json!({
        "ruleId": diagnostic.code,
        "level": level(diagnostic.severity),
        "message": {"text": text},
        "locations": [location(diagnostic.origin.source.as_str(), finding.position.as_ref())],
        "partialFingerprints": {"toolcrib/v1": fingerprint(finding)},
    });
    if let Some(related) = &finding.related {
        result["relatedLocations"] = json!([location(related.file, related.position.as_ref())]);
    }
    result
}

fn location(file: &str, position: Option<&Position>) -> Value {
    let mut location = json!({"artifactLocation": {"uri": to_uri(file)}});
    if let Some(position) = position {
        location["region"] = json!({"startLine": position.line, "startColumn": position.column});
    }
    json!({"physicalLocation": location})
}

/// Identifies a finding when lines move: the rule, the file and the location by name.
fn fingerprint(finding: &Finding<'_>) -> String {
    let diagnostic = finding.diagnostic;
    let place = diagnostic.origin.pointer().map_or_else(
        // Markdown has no pointers; tool and message do not depend on lines either.
        || {
            diagnostic
                .tool
                .as_ref()
                .map(|tool| format!("{tool}:{}", diagnostic.message))
                .unwrap_or_default()
        },
        str::to_owned,
    );
    format!("{}:{}#{place}", diagnostic.code, diagnostic.origin.source)
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// A path as a relative URI reference: escapes everything but unreserved characters and `/` (RFC
/// 3986).
fn to_uri(file: &str) -> String {
    let keep =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/');
    file.bytes()
        .map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

//! YAML with places: the same tree as JSON has, from the words of YAML 1.1.
//!
//! Definitions are written by programs that speak YAML 1.1 (`yes` is true), so that is what a plain
//! word means here. Keys are always text. Nothing is evaluated, whatever a tag says, and aliases are
//! copied only as far as a file needs.

mod scalar;
mod tree;
pub(crate) mod write;

use catalog::Severity;
use serde_json::Value;

pub(crate) use tree::parse;
pub use write::document as write_yaml;

use crate::rules::syntax::EMPTY_FILE;

/// The first document of a text as plain data; nothing, if it cannot be read.
pub fn yaml_value(text: &str) -> Option<Value> {
    let parsed = parse(text);
    parsed.root.filter(|_| !parsed.is_lossy).map(|root| root.to_value())
}

/// Why a text cannot be read.
pub(crate) struct YamlError {
    /// The line, from 1.
    pub(crate) line: usize,
    /// What is wrong there.
    pub(crate) message: String,
}

/// The first document of a text as plain data; an empty text is null.
pub(crate) fn read(text: &str) -> Result<Value, YamlError> {
    let parsed = parse(text);
    match (
        parsed.root,
        parsed.problems.iter().find(|problem| problem.rule.severity == Severity::Error),
    ) {
        (Some(root), None) if !parsed.is_lossy => Ok(root.to_value()),
        (None, Some(problem)) if std::ptr::eq(problem.rule, &EMPTY_FILE) => Ok(Value::Null),
        (_, problem) => Err(YamlError {
            line: problem.map_or(1, |problem| {
                text[..problem.offset.min(text.len())].matches('\n').count() + 1
            }),
            message: problem
                .map_or_else(|| "it cannot be read".to_owned(), |problem| problem.message.clone()),
        }),
    }
}

/// Whether a text is YAML, with keys and values.
pub(crate) fn is_mapping(text: &str) -> bool {
    is_yaml(text) && parse(text).root.is_some_and(|root| root.is_object())
}

/// Whether a text is meant as YAML: its first line that is no comment begins a document or has a key.
pub(crate) fn is_yaml(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines =
        text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let Some(first) = lines.next() else {
        return false;
    };
    match first.as_bytes()[0] {
        b'{' | b'[' | b'"' | b'/' | b',' | b'}' | b']' => false,
        b'-' => first.trim_end() == "---" || first.starts_with("--- "),
        b'%' => first.starts_with("%YAML"),
        _ => first.contains(": ") || first.trim_end().ends_with(':'),
    }
}

//! YAML with locations, parsed to the same tree as JSON.
//!
//! Plain scalars are resolved as in YAML 1.1 (`yes` is true), because R's yaml package and PyYAML,
//! which write most definitions, do so. Keys are always strings. Tags never evaluate anything, and
//! aliases are copied only up to a limit, so that a small file cannot expand to a huge tree.

mod scalar;
mod tree;
mod write;

use catalog::Severity;
use serde_json::Value;

pub(crate) use tree::parse;
pub use write::write_yaml;

use crate::rules::syntax::EMPTY_FILE;

/// The first document of a text as a value; none if it cannot be parsed.
pub fn yaml_value(text: &str) -> Option<Value> {
    let parsed = parse(text);
    parsed.root.filter(|_| !parsed.is_lossy).map(|root| root.to_value())
}

/// The first problem for which a text cannot be parsed as YAML, with its line.
pub fn find_yaml_problem(text: &str) -> Option<String> {
    let problem = read(text.trim_start_matches('\u{feff}')).err()?;
    Some(format!("{} in line {}", problem.message, problem.line))
}

/// Why a text cannot be parsed.
pub(crate) struct YamlError {
    /// The line, counted from 1.
    pub(crate) line: usize,
    pub(crate) message: String,
}

/// Parses the first document of a text; an empty text is null.
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
                .map_or_else(|| "invalid YAML".to_owned(), |problem| problem.message.clone()),
        }),
    }
}

/// Whether a text is a YAML mapping.
pub(crate) fn is_mapping(text: &str) -> bool {
    is_yaml(text) && parse(text).root.is_some_and(|root| root.is_object())
}

/// Whether a text looks like YAML rather than JSON: its first line that is not a comment starts a
/// document or has a key.
pub(crate) fn is_yaml(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines =
        text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let Some(first) = lines.next() else {
        return false;
    };
    // Detected by content, since text in a code block has no file name. Invalid JSON must go to the
    // JSON parser, which recovers from errors and has better hints.
    match first.as_bytes()[0] {
        b'{' | b'[' | b'"' | b'/' | b',' | b'}' | b']' => false,
        b'-' => first.trim_end() == "---" || first.starts_with("--- "),
        b'%' => first.starts_with("%YAML"),
        _ => first.contains(": ") || first.trim_end().ends_with(':'),
    }
}

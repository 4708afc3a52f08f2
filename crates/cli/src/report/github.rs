//! Findings as annotations of a GitHub workflow: one command per line.

use std::fmt::Write;

use catalog::Severity;

use host::report::{Finding, Report};
use runtime::escape_controls;

use crate::terminal;

/// Prints one workflow command for each finding.
pub(crate) fn print(report: &Report<'_>) {
    for finding in &report.findings {
        terminal::print_line(&command(finding));
    }
}

fn command(finding: &Finding<'_>) -> String {
    let diagnostic = finding.diagnostic;
    let name = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut text = format!("::{name} file={}", escape_property(diagnostic.origin.source.as_str()));
    if let Some(position) = &finding.position {
        write!(text, ",line={},col={}", position.line, position.column)
            .expect("writing to a string");
    }
    let also =
        finding.related.as_ref().map(|related| format!(" (also {related})")).unwrap_or_default();
    let hint = diagnostic.hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default();
    write!(
        text,
        ",title={}::{}",
        diagnostic.code,
        escape_data(&format!("{}{also}{hint}", diagnostic.message))
    )
    .expect("writing to a string");
    text
}

/// A workflow command without a location.
pub(crate) fn annotate(level: &str, title: &str, message: &str) -> String {
    format!("::{level} title={}::{}", escape_property(title), escape_data(message))
}

/// Also escapes control characters, which a terminal or GitHub's log viewer would interpret.
fn escape_data(text: &str) -> String {
    escape_controls(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{escape_data, escape_property};

    #[test]
    fn escapes_separators_of_commands() {
        assert_eq!(escape_data("50%\nmore"), "50%25%0Amore");
        assert_eq!(escape_data("a\x1b[2Kb"), "a\\u{1b}[2Kb");
        assert_eq!(escape_property("a:b,c"), "a%3Ab%2Cc");
    }
}

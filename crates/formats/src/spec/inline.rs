//! Syntax inside a line: code spans, labels, names and placeholders.

use std::ops::Range;

/// Written by our own writer where a tool has no information; reads as nothing.
pub(super) const NOT_SPECIFIED: &str = "Not specified.";

/// The maximum length of a label. Longer bold text is emphasis in a sentence.
const MAX_LABEL_BYTES: usize = 60;

/// A code span: the trimmed text, and the range between its backticks.
#[derive(Clone)]
pub(super) struct CodeSpan<'t> {
    pub(super) text: &'t str,
    pub(super) range: Range<usize>,
}

pub(super) fn find_code_spans(text: &str) -> Vec<CodeSpan<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('`').map(|open| open + at) {
        let ticks = count_ticks(&text[open..]);
        let start = open + ticks;
        let Some(close) = find_closing_ticks(&text[start..], ticks) else {
            // Backticks without a counterpart are text.
            at = start;
            continue;
        };
        let range = start..start + close;
        at = range.end + ticks;
        found.push(CodeSpan { text: text[range.clone()].trim(), range });
    }
    found
}

/// Where a run of exactly `ticks` backticks begins: other runs are part of the code.
fn find_closing_ticks(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(open) = text[at..].find('`').map(|open| open + at) {
        let run = count_ticks(&text[open..]);
        if run == ticks {
            return Some(open);
        }
        at = open + run;
    }
    None
}

fn count_ticks(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}

/// Parses the bold label that a text begins with, and returns it with the offset at which the text
/// continues. The colon may be inside or outside of the bold, or missing at the end of a line.
pub(super) fn parse_label(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix("**")?;
    let end = inside.find("**").filter(|end| *end > 0 && *end < MAX_LABEL_BYTES)?;
    let words = &inside[..end];
    let after = &inside[end + 2..];
    let colon = after.trim_start_matches(' ');
    let (words, rest) = match (words.strip_suffix(':'), colon.strip_prefix(':')) {
        (Some(words), _) => (words, after),
        (None, Some(rest)) => (words, rest),
        (None, None) => (words, strip_label_remark(after)?),
    };
    // Bold code is a name in a sentence or list, never a label.
    (!words.contains('`')).then_some((words.trim(), text.len() - rest.len()))
}

/// The text after a label without a colon: the label must end its line, apart from a remark in
/// parentheses.
fn strip_label_remark(after: &str) -> Option<&str> {
    let line = after.split('\n').next().unwrap_or_default();
    let rest = line.trim();
    let is_remark = rest.starts_with('(') && (rest.ends_with("):") || rest.ends_with(')'));
    (rest.is_empty() || is_remark).then(|| &after[line.len()..])
}

/// Parses a label without bold: a line of up to three words and a colon. The caller accepts only
/// known words, since "For example:" looks the same.
pub(super) fn parse_plain_label(line: &str) -> Option<&str> {
    let words = line.trim().strip_suffix(':')?;
    (words.len() < MAX_LABEL_BYTES && !words.is_empty() && words.split(' ').count() <= 3)
        .then_some(words)
}

/// Whether a text can be the name of a tool or of a parameter.
pub(super) fn is_name(text: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.len() <= 128
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_allowed)
}

/// Whether a dotted name is that of a file, such as `mcp_tools.py`, rather than of a tool.
pub(super) fn is_file_name(name: &str) -> bool {
    const EXTENSIONS: [&str; 10] =
        ["py", "md", "json", "toml", "yaml", "yml", "rs", "ts", "js", "txt"];
    name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// Whether a text is a placeholder that the author of a template left to fill in.
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text.trim().trim_matches('`');
    // Quotes make it a JSON array, as in the example value `["a"]`.
    let is_bracketed = text.starts_with('[')
        && text.ends_with(']')
        && !text.contains('"')
        && text.contains(char::is_alphabetic);
    // These occur in documents that were copied from a template and never finished.
    is_bracketed
        || matches!(
            text,
            "tool_name"
                | "your_tool_name"
                | "YourToolName"
                | "tool-name"
                | "Yes/No"
                | "Yes/No/Partially"
        )
}

/// The text on one line: every run of white space becomes a space.
pub(super) fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{find_code_spans, parse_label};

    #[test]
    fn finds_labels_with_the_colon_inside_or_outside() {
        assert_eq!(parse_label("**Returns:** text"), Some(("Returns", 12)));
        assert_eq!(parse_label("**Returns**: text"), Some(("Returns", 12)));
        assert_eq!(parse_label("**Parameters**"), Some(("Parameters", 14)));
        assert_eq!(parse_label("**bold** text"), None);
        assert_eq!(
            parse_label("**Agent object structure** (by `x`):").map(|(label, _)| label),
            Some("Agent object structure")
        );
    }

    #[test]
    fn finds_code_between_any_number_of_backticks() {
        let spans = find_code_spans("`a` and ``b`c`` and `open");
        assert_eq!(spans.iter().map(|span| span.text).collect::<Vec<_>>(), ["a", "b`c"]);
    }
}

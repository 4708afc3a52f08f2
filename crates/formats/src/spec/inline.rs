//! What stands inside a line: code, labels, names.

use std::ops::Range;

/// The contents of the code in a text, with their bytes.
pub(super) fn code(text: &str) -> Vec<(&str, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('`').map(|open| open + at) {
        let ticks = text[open..].bytes().take_while(|byte| *byte == b'`').count();
        let start = open + ticks;
        let Some(close) = closing(&text[start..], ticks) else {
            at = start;
            continue;
        };
        let content = start..start + close;
        found.push((text[content.clone()].trim(), content.clone()));
        at = content.end + ticks;
    }
    found
}

/// Where a run of exactly so many backticks begins.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(open) = text[at..].find('`').map(|open| open + at) {
        let run = text[open..].bytes().take_while(|byte| *byte == b'`').count();
        if run == ticks {
            return Some(open);
        }
        at = open + run;
    }
    None
}

/// A label at the start of a text, in bold with a colon inside or behind it, and where the text goes on.
pub(super) fn label(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix("**")?;
    let end = inside.find("**").filter(|end| *end > 0 && *end < LONGEST_LABEL)?;
    let words = &inside[..end];
    let behind = &inside[end + 2..];
    let colon = behind.trim_start_matches(' ');
    let (words, rest) = match (words.strip_suffix(':'), colon.strip_prefix(':')) {
        (Some(words), _) => (words, behind),
        (None, Some(rest)) => (words, rest),
        (None, None) => after_remark(words, behind)?,
    };
    (!words.contains('`')).then_some((words.trim(), text.len() - rest.len()))
}

/// No label is longer, in bytes.
const LONGEST_LABEL: usize = 60;

/// A label whose line ends with it, or with a remark in parentheses and a colon.
fn after_remark<'a>(words: &'a str, behind: &'a str) -> Option<(&'a str, &'a str)> {
    let line = behind.split('\n').next().unwrap_or_default();
    let rest = line.trim();
    let is_remark = rest.starts_with('(') && (rest.ends_with("):") || rest.ends_with(')'));
    (rest.is_empty() || is_remark).then(|| (words, &behind[line.len()..]))
}

/// A known word with a colon that is a line of its own: a label without bold.
pub(super) fn plain_label(line: &str) -> Option<&str> {
    let words = line.trim().strip_suffix(':')?;
    (words.len() < LONGEST_LABEL && !words.is_empty() && words.split(' ').count() <= 3)
        .then_some(words)
}

/// Whether a text is a name that a tool or a parameter can have.
pub(super) fn is_name(text: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.len() <= 128
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_allowed)
}

/// Whether a name is that of a file.
pub(super) fn is_file_name(name: &str) -> bool {
    const EXTENSIONS: [&str; 10] =
        ["py", "md", "json", "toml", "yaml", "yml", "rs", "ts", "js", "txt"];
    name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// Whether a text is a place to be filled in rather than a value.
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text.trim().trim_matches('`');
    let is_bracketed = text.starts_with('[')
        && text.ends_with(']')
        && !text.contains('"')
        && text.contains(char::is_alphabetic);
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

/// What stands where something is still to be said: as much as nothing.
pub(super) const UNSAID: &str = "Not specified.";

/// The text in one line: line breaks and what they are indented by become one space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{code, label};

    #[test]
    fn finds_labels_with_the_colon_inside_or_behind() {
        assert_eq!(label("**Returns:** text"), Some(("Returns", 12)));
        assert_eq!(label("**Returns**: text"), Some(("Returns", 12)));
        assert_eq!(label("**Parameters**"), Some(("Parameters", 14)));
        assert_eq!(label("**bold** text"), None);
        assert_eq!(
            label("**Agent object structure** (by `x`):").map(|(label, _)| label),
            Some("Agent object structure")
        );
    }

    #[test]
    fn finds_code_of_any_fence() {
        let found: Vec<_> = code("`a` and ``b`c`` and `open")
            .into_iter()
            .map(|(code, _)| code.to_owned())
            .collect();
        assert_eq!(found, ["a", "b`c"]);
    }
}

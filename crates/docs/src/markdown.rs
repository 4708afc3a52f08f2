//! Text by an author inside Markdown, escaped so that it cannot become structure.

/// Escapes a text of several paragraphs. Emphasis, lists and code spans keep their meaning; HTML,
/// links, headings, fences and tables lose theirs.
pub(crate) fn escape_prose(text: &str) -> String {
    let lines = text.lines().map(|line| escape_line(line.trim()));
    lines.collect::<Vec<_>>().join("\n")
}

/// Escapes a text for one cell of a table.
pub fn escape_cell(text: &str) -> String {
    escape_inline(&join_words(text))
}

/// A text as a code span for a cell of a table. A pipe would end the cell even inside a code span,
/// so a text with one is escaped instead.
pub(crate) fn code_cell(text: &str) -> String {
    if text.contains('|') { escape_punctuation(&join_words(text)) } else { code_span(text) }
}

/// A code block. Its fence is longer than any run of backticks in the text.
pub(crate) fn code_block(language: &str, text: &str) -> String {
    let fence = "`".repeat((longest_run(text, '`') + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

/// The text with its first letter, which must be ASCII, in upper case.
pub(crate) fn capitalize(text: &str) -> String {
    text[..1].to_uppercase() + &text[1..]
}

fn join_words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn code_span(text: &str) -> String {
    let text: String = join_words(text).chars().filter(|c| !c.is_control()).collect();
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    // CommonMark strips one space on both sides, so that a span can start or end with a backtick.
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Escapes a line so that it does not become a heading, a thematic break, a fence or a quotation.
fn escape_line(line: &str) -> String {
    let escaped = escape_inline(line);
    let is_break =
        !line.is_empty() && line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' '));
    let is_block = line.starts_with(['#', '>', '~']) || is_break;
    if is_block { format!("\\{escaped}") } else { escaped }
}

/// Escapes everything inside a line that could be structure, except emphasis and code spans.
fn escape_inline(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '`' => match find_code_span(rest) {
                Some(content) => {
                    escaped.push_str(&code_cell(content));
                    rest = &rest[content.len() + 1..];
                }
                None => escaped.push_str("\\`"),
            },
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            // `\|` would be ambiguous after an escaped backslash.
            '|' => escaped.push_str("&#124;"),
            '\\' | '[' => escaped.extend(['\\', c]),
            _ if c.is_control() => {}
            _ => escaped.push(c),
        }
    }
    escaped
}

/// The content of the code span that starts before `rest`, if its fence is a single backtick.
fn find_code_span(rest: &str) -> Option<&str> {
    let (content, after) = rest.split_once('`')?;
    let is_plain = !content.trim().is_empty() && !after.starts_with('`');
    is_plain.then_some(content)
}

/// Replaces all ASCII punctuation by character references, which have no meaning in Markdown.
fn escape_punctuation(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !c.is_control()) {
        if c.is_ascii_punctuation() {
            escaped.push_str(&format!("&#{};", u32::from(c)));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn longest_run(text: &str, wanted: char) -> usize {
    text.split(|c| c != wanted).map(str::len).max().unwrap_or_default()
}

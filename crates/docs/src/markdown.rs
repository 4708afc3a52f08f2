//! Somebody's text inside Markdown: it stays text, whatever it contains.

/// A text as paragraphs. Emphasis, lists and code spans keep their meaning; HTML, links, headings,
/// fences and tables lose theirs.
pub(crate) fn prose(text: &str) -> String {
    let lines = text.lines().map(|line| escaped_line(line.trim()));
    lines.collect::<Vec<_>>().join("\n")
}

/// A text as one cell of a table.
pub(crate) fn cell(text: &str) -> String {
    escape(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A text as it is, in a code span, or spelled out where a pipe in the span would end a table's cell.
pub(crate) fn code_cell(text: &str) -> String {
    if text.contains('|') {
        literal(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    } else {
        code(text)
    }
}

/// A text as it is, in a block of its own.
pub(crate) fn block(language: &str, text: &str) -> String {
    let fence = "`".repeat((longest_run(text, '`') + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

/// A text as it is, in a code span.
fn code(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A line that stands by itself must not become a heading, a rule, a fence or a quotation.
fn escaped_line(line: &str) -> String {
    let escaped = escape(line);
    let is_rule =
        !line.is_empty() && line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' '));
    let is_block = line.starts_with(['#', '>', '~']) || is_rule;
    if is_block { format!("\\{escaped}") } else { escaped }
}

/// Leaves emphasis and code spans alone; everything that could be structure becomes text.
fn escape(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '`' => match span(rest) {
                Some(content) => {
                    escaped.push_str(&code_cell(content));
                    rest = &rest[content.len() + 1..];
                }
                None => escaped.push_str("\\`"),
            },
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '|' => escaped.push_str("&#124;"),
            '\\' | '[' => escaped.extend(['\\', c]),
            _ if c.is_control() => {}
            _ => escaped.push(c),
        }
    }
    escaped
}

/// What stands before the next backtick, if that makes a plain code span.
fn span(rest: &str) -> Option<&str> {
    let (content, after) = rest.split_once('`')?;
    let is_plain = !content.trim().is_empty() && !after.starts_with('`');
    is_plain.then_some(content)
}

/// A text in which no character means anything.
fn literal(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if c.is_control() => {}
            _ if c.is_ascii_punctuation() => escaped.push_str(&format!("&#{};", u32::from(c))),
            _ => escaped.push(c),
        }
    }
    escaped
}

fn longest_run(text: &str, wanted: char) -> usize {
    text.split(|c| c != wanted).map(str::len).max().unwrap_or_default()
}

//! Wraps text to the width of the terminal.

use unicode_width::UnicodeWidthChar;

use crate::terminal;

/// Wraps a line at spaces to the width of the terminal. Continuation lines are indented by
/// `indent`. Output that is not a terminal is never wrapped.
pub(crate) fn wrap(line: &str, indent: usize) -> String {
    match terminal::width() {
        Some(width) => wrap_to(line, indent, width),
        None => line.to_owned(),
    }
}

/// Wraps the prose of a Markdown page, but not its code, tables and headings.
pub(crate) fn wrap_page(page: &str) -> String {
    let mut is_code = false;
    let wrapped = page.lines().map(|line| {
        is_code ^= line.starts_with("```");
        if is_code || line.starts_with(['#', '|', '`']) { line.to_owned() } else { wrap(line, 0) }
    });
    wrapped.collect::<Vec<_>>().join("\n")
}

fn wrap_to(line: &str, indent: usize, width: usize) -> String {
    let blanks = line.len() - line.trim_start().len();
    let (mut wrapped, mut used) = (line[..blanks].to_owned(), blanks);
    let mut is_first = true;
    // Runs of spaces align columns, so they are kept.
    for word in line[blanks..].split_inclusive(' ') {
        let columns = visible_width(word.trim_end());
        if used + columns > width && !is_first && columns > 0 {
            let end = wrapped.trim_end().len();
            wrapped.truncate(end);
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(indent));
            used = indent;
        }
        wrapped.push_str(word);
        used += visible_width(word);
        is_first = false;
    }
    wrapped
}

/// The width of a text in columns, without its colour escapes.
fn visible_width(text: &str) -> usize {
    let mut is_escape = false;
    let columns = text.chars().map(|c| {
        let was_escape = is_escape;
        is_escape = if was_escape { c != 'm' } else { c == '\x1b' };
        if was_escape || is_escape { 0 } else { c.width().unwrap_or(0) }
    });
    columns.sum()
}

#[cfg(test)]
mod tests {
    use super::wrap_to;

    #[test]
    fn breaks_at_blanks_and_indents_what_follows() {
        let line = "  disk      limited by a check of each call";
        let wrapped = "  disk      limited by\n            a check of\n            each call";
        assert_eq!(wrap_to(line, 12, 23), wrapped);
        assert_eq!(wrap_to(line, 12, 80), line);
    }

    #[test]
    fn a_long_word_stays_whole_and_escapes_take_no_room() {
        assert_eq!(wrap_to("see /a/very/long/path now", 2, 10), "see\n  /a/very/long/path\n  now");
        assert_eq!(wrap_to("\x1b[31mred\x1b[0m and blue", 0, 7), "\x1b[31mred\x1b[0m and\nblue");
    }
}

//! Emphasis and links of Markdown as plain text.
//!
//! A full Markdown parser would read too much into R documentation: `x[i]`, `a * b` and
//! `snake_case` are common in it and are not markup.

use super::markup::Piece;

/// Whether code is the text of a link: `` [`f()`] ``.
pub(crate) fn is_linked(before: &[Piece], after: &[Piece]) -> bool {
    let opens = matches!(before.last(), Some(Piece::Text(text)) if text.ends_with('['));
    opens && matches!(after.first(), Some(Piece::Text(text)) if text.starts_with(']'))
}

/// Text next to code, without the brackets and the target of a link around that code.
pub(crate) fn strip_link_brackets(text: &str, before: &[Piece], after: &[Piece]) -> String {
    let is_code = |piece: Option<&Piece>| matches!(piece, Some(Piece::Code(_) | Piece::Link(_)));
    let opens =
        |piece: Option<&Piece>| matches!(piece, Some(Piece::Text(text)) if text.ends_with('['));
    let closes =
        |piece: Option<&Piece>| matches!(piece, Some(Piece::Text(text)) if text.starts_with(']'));
    let mut text = text.to_owned();
    if text.ends_with('[') && is_code(after.first()) && closes(after.get(1)) {
        text.pop();
    }
    if text.starts_with(']')
        && is_code(before.last())
        && opens(before.len().checked_sub(2).and_then(|at| before.get(at)))
    {
        text.remove(0);
        let target = [('(', ')'), ('[', ']')]
            .into_iter()
            .find_map(|(open, close)| text.strip_prefix(open)?.find(close));
        if let Some(end) = target {
            text.replace_range(..end + 2, "");
        }
    }
    text
}

/// Text without the marks of emphasis and links.
pub(crate) fn strip_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['*', '_', '[']) {
        out.push_str(&rest[..at]);
        // `snake_case` and `x[i]`: a mark inside a word is not markup.
        let is_inside = out.ends_with(|c: char| c.is_alphanumeric());
        rest = &rest[at..];
        let found = if rest.starts_with('[') { parse_link(rest) } else { parse_emphasis(rest) };
        match found.filter(|_| !is_inside) {
            Some((inner, length)) => {
                // `![alt](image.png)` becomes its alternative text.
                let is_picture =
                    out.ends_with('!') && rest[..length].ends_with(')') && rest.starts_with('[');
                out.truncate(out.len() - usize::from(is_picture));
                // Emphasis may contain links, and links emphasis.
                out.push_str(&strip_markdown(inner));
                rest = &rest[length..];
            }
            None => {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The text between one or two stars or underscores, and the length with the marks.
fn parse_emphasis(text: &str) -> Option<(&str, usize)> {
    let mark =
        if text.starts_with("**") || text.starts_with("__") { &text[..2] } else { &text[..1] };
    let body = &text[mark.len()..];
    let end = body.find(mark).filter(|end| *end > 0)?;
    let inner = &body[..end];
    let after = body[end + mark.len()..].chars().next();
    // `a * b * c` is arithmetic, not emphasis.
    let is_tight = !inner.starts_with(char::is_whitespace)
        && !inner.ends_with(char::is_whitespace)
        && !inner.contains("\n\n");
    let is_over =
        after.is_none_or(|c| !c.is_alphanumeric() && c != mark.chars().next().unwrap_or(c));
    (is_tight && is_over).then_some((inner, mark.len() * 2 + end))
}

/// The text of `[text](address)`, `[text][topic]`, `[topic]`, `[topic()]` or `[package::topic]`,
/// and the length of the link.
pub(crate) fn parse_link(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix('[')?;
    let inner = &inner[..inner.find(']')?];
    let end = inner.len() + 1;
    let after = &text[end + 1..];
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some(target) = after.strip_prefix(open).and_then(|target| target.find(close)) {
            return Some((inner, end + 1 + target + 2));
        }
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | ':' | '(' | ')');
    // `[1]` and `[0, 1)` are references and ranges, not links to topics.
    let is_topic = inner.starts_with(char::is_alphabetic) && inner.chars().all(is_name);
    is_topic.then_some((inner, end + 1))
}

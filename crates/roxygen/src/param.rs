//! The syntax of `@param`: names, then text.

use super::block::Tag;

/// The names that a `@param` documents.
pub(crate) fn names(tag: &Tag<'_>) -> Vec<String> {
    split(tag).0
}

/// The text of a `@param`. A dash between name and text is not part of it, unless it begins a list.
pub(crate) fn text(tag: &Tag<'_>) -> String {
    let text = split(tag).1;
    // `@param x - one` is a separator; several such lines are a list.
    let is_list = text.lines().skip(1).any(|line| line.trim_start().starts_with("- "));
    match text.strip_prefix("- ").or_else(|| text.strip_prefix("\u{2013} ")).filter(|_| !is_list) {
        Some(rest) => rest.trim_start().to_owned(),
        None => text,
    }
}

/// Splits `a,b text`, `a, b text` and `` `a b` text``.
fn split(tag: &Tag<'_>) -> (Vec<String>, String) {
    let text = tag.text();
    let (mut names, mut rest) = (Vec::new(), text.as_str());
    loop {
        let (name, after) = split_name(rest.trim_start());
        names.extend((!name.is_empty()).then(|| name.to_owned()));
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return (names, after.trim().to_owned()),
        }
    }
}

/// The first name, without backticks, and the text after it.
fn split_name(text: &str) -> (&str, &str) {
    let quoted = text.strip_prefix('`').and_then(|inside| inside.split_once('`'));
    quoted.unwrap_or_else(|| {
        text.split_at(text.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(text.len()))
    })
}

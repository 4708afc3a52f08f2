//! Splits prose into lower-case words with their positions.

use std::{borrow::Cow, ops::Range};

/// One word of a text.
pub(crate) struct Word<'a> {
    /// The word in lower case.
    pub(crate) lower: Cow<'a, str>,
    /// Where it stands, in bytes.
    pub(crate) span: Range<usize>,
    /// The number of the sentence it belongs to.
    pub(crate) sentence: usize,
}

/// The words of a text. Whatever is not a letter, a digit or an inner apostrophe parts words, so
/// that neither Markdown nor snake case hides one.
pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let (mut start, mut sentence) = (None, 0);
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let inside = c.is_alphanumeric()
            || start.is_some() && is_apostrophe(c) && next.is_some_and(char::is_alphanumeric);
        match (inside, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push(word(text, from..at, sentence));
                start = None;
            }
            _ => {}
        }
        if ends_sentence(c, next) {
            sentence += 1;
        }
    }
    if let Some(from) = start {
        found.push(word(text, from..text.len(), sentence));
    }
    found
}

fn word(text: &str, span: Range<usize>, sentence: usize) -> Word<'_> {
    let raw = &text[span.clone()];
    let plain = raw.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let lower =
        if plain { Cow::Borrowed(raw) } else { Cow::Owned(raw.to_lowercase().replace('’', "'")) };
    Word { lower, span, sentence }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// A full stop inside a file name ends no sentence, and neither does a line that is merely broken.
fn ends_sentence(c: char, next: Option<char>) -> bool {
    match c {
        ';' => true,
        '\n' => next.is_none_or(|next| {
            matches!(next, '\n' | '-' | '*' | '#' | '>') || next.is_ascii_digit()
        }),
        '.' | '!' | '?' | ':' => next.is_none_or(char::is_whitespace),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn finds_words_and_sentences_through_markdown_and_snake_case() {
        let found = words("**DO NOT** read\nCargo.lock. Don’t\n- `operation_id`");
        let plain: Vec<_> = found.iter().map(|word| (word.sentence, word.lower.as_ref())).collect();
        let expected = [
            (0, "do"),
            (0, "not"),
            (0, "read"),
            (0, "cargo"),
            (0, "lock"),
            (1, "don't"),
            (2, "operation"),
            (2, "id"),
        ];
        assert_eq!(plain, expected);
    }
}

//! Splits prose into lower-case words with their positions.

use std::{borrow::Cow, ops::Range};

/// One word of a text.
pub(crate) struct Word<'a> {
    /// The word in lower case, with `’` as `'`. Borrowed if the text has it in this form.
    pub(crate) lower: Cow<'a, str>,
    /// The byte range in the text.
    pub(crate) span: Range<usize>,
    /// The index of its sentence.
    pub(crate) sentence: usize,
}

/// Splits a text into words. Everything but letters, digits and inner apostrophes separates words,
/// so that neither Markdown (`**DO NOT**`) nor snake case (`operation_id`) hides one.
pub(crate) fn split_prose(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    // `start` is where the current word begins.
    let (mut start, mut sentence) = (None, 0);
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let is_inside = c.is_alphanumeric()
            || start.is_some() && is_apostrophe(c) && next.is_some_and(char::is_alphanumeric);
        match (is_inside, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push(new_word(text, from..at, sentence));
                start = None;
            }
            _ => {}
        }
        if ends_sentence(c, next) {
            sentence += 1;
        }
    }
    if let Some(from) = start {
        words.push(new_word(text, from..text.len(), sentence));
    }
    words
}

fn new_word(text: &str, span: Range<usize>, sentence: usize) -> Word<'_> {
    let raw = &text[span.clone()];
    let is_lower = raw.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let lower = if is_lower {
        Cow::Borrowed(raw)
    } else {
        Cow::Owned(raw.to_lowercase().replace('’', "'"))
    };
    Word { lower, span, sentence }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// Whether `c` ends a sentence. A full stop inside a file name does not, nor does a line break
/// within a paragraph.
fn ends_sentence(c: char, next: Option<char>) -> bool {
    match c {
        ';' => true,
        // A list item or heading without a full stop still ends here.
        '\n' => next.is_none_or(|next| {
            matches!(next, '\n' | '-' | '*' | '#' | '>') || next.is_ascii_digit()
        }),
        '.' | '!' | '?' | ':' => next.is_none_or(char::is_whitespace),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::split_prose;

    #[test]
    fn finds_words_and_sentences_through_markdown_and_snake_case() {
        let found = split_prose("**DO NOT** read\nCargo.lock. Don’t\n- `operation_id`");
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

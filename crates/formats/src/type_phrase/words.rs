//! A cursor over the words of a text.

/// A text and the byte up to which it is read.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Consumes the next word and returns it in lower case. `.` and `_` are part of a word, as in
    /// `data.frame`; punctuation is a word of one character. At the end, the word is empty.
    pub(super) fn next(&mut self) -> String {
        let body = self.rest().trim_start();
        let start = self.text.len() - body.len();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
        // A period at the end of a word ends the sentence.
        let word = body[..body.find(|c| !is_part(c)).unwrap_or(body.len())].trim_end_matches('.');
        let length = match word.len() {
            0 => body.chars().next().map_or(0, char::len_utf8),
            length => length,
        };
        self.at = start + length;
        body[..length].to_lowercase()
    }

    pub(super) fn peek(&self) -> String {
        self.clone().next()
    }

    /// Consumes the next word if it is one of `words`.
    pub(super) fn take(&mut self, words: &[&str]) -> bool {
        let mut ahead = *self;
        let is_next = words.contains(&ahead.next().as_str());
        if is_next {
            *self = ahead;
        }
        is_next
    }

    /// Consumes two words if they come next.
    pub(super) fn take_pair(&mut self, first: &str, second: &str) -> bool {
        let mut ahead = *self;
        let is_next = ahead.take(&[first]) && ahead.take(&[second]);
        if is_next {
            *self = ahead;
        }
        is_next
    }
}

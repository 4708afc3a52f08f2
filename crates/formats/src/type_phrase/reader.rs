//! The words of a text, one after the other, in small letters. What they mean is said elsewhere.

/// A text, and how far it is read.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl Reader<'_> {
    pub(super) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    pub(super) fn at_end(&self) -> bool {
        self.rest().trim().is_empty()
    }

    /// The next word in small letters, and steps behind it; something that is no word is a word of its own.
    pub(super) fn word(&mut self) -> String {
        let rest = self.rest();
        let blank = rest.len() - rest.trim_start().len();
        let body = &rest[blank..];
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
        let mut length: usize = body.chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum();
        // A stop at the end is the sentence's.
        length -= body[..length].len() - body[..length].trim_end_matches('.').len();
        if body[length..].starts_with("[]") {
            length += 2;
        }
        if length == 0 {
            length = body.chars().next().map_or(0, char::len_utf8);
        }
        let word = body[..length].to_lowercase();
        self.at += blank + length;
        word
    }

    /// The next word, without stepping behind it.
    pub(super) fn peek(&self) -> String {
        Reader { text: self.text, at: self.at }.word()
    }

    pub(super) fn take(&mut self, words: &[&str]) -> bool {
        let is_next = words.contains(&self.peek().as_str());
        if is_next {
            self.word();
        }
        is_next
    }

    pub(super) fn punctuation(&mut self, annotations: &[char]) -> bool {
        let rest = self.rest();
        let trimmed = rest.trim_start();
        let is_next = trimmed.starts_with(annotations);
        if is_next {
            self.at += rest.len() - trimmed.len() + 1;
        }
        is_next
    }
}

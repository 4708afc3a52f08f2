//! What may stand around the name of a type: articles, `NULL`, other types, and the end of it.

use super::{ValueType, reader::Reader};

const ARTICLES: [&str; 9] =
    ["a", "an", "the", "single", "optional", "optionally", "one", "named", "scalar"];

/// Words that say more about a value than its type does, so that they stay in the description.
const QUALITIES: [&str; 6] = ["positive", "negative", "nonnegative", "strictly", "finite", "short"];

/// Stages of a parameter's life, which stand in parentheses before its type.
const STAGES: [&str; 6] =
    ["deprecated", "experimental", "superseded", "stable", "questioning", "defunct"];

impl Reader<'_> {
    /// `(deprecated)`.
    pub(super) fn stage(&mut self) -> bool {
        let start = self.at;
        let is_said = self.punctuation(&['(']) && self.take(&STAGES) && self.punctuation(&[')']);
        if !is_said {
            self.at = start;
        }
        is_said
    }

    /// `Strictly positive`, `Non-negative`.
    pub(super) fn qualities(&mut self) -> bool {
        let start = self.at;
        let is_negated = self.take(&["non"]) && self.punctuation(&['-']);
        let mut found = false;
        while self.take(&QUALITIES) {
            found = true;
        }
        if is_negated && !found {
            self.at = start;
        }
        found
    }

    /// Steps over articles, and over `Optional.`
    pub(super) fn articles(&mut self) -> bool {
        let mut found = false;
        while self.take(&ARTICLES) {
            found = true;
            self.punctuation(&[')', '.', ',', ':']);
        }
        found
    }

    /// `NULL or`.
    pub(super) fn null_first(&mut self) -> bool {
        let start = self.at;
        if self.take(&["null"]) {
            self.punctuation(&[',']);
            if self.take(&["or", "/", "|"]) {
                self.articles();
                return true;
            }
        }
        self.at = start;
        false
    }

    /// `or NULL`.
    pub(super) fn or_null(&mut self) -> bool {
        let start = self.at;
        self.punctuation(&[',']);
        if self.take(&["or", "/", "|"]) && self.take(&["null"]) {
            return true;
        }
        self.at = start;
        let is_said =
            self.take(&["("]) && self.take(&["or"]) && self.take(&["null"]) && self.take(&[")"]);
        if !is_said {
            self.at = start;
        }
        is_said
    }

    /// The types behind `or`: `or a list`, `, matrix or data frame`. They are not stepped over.
    pub(super) fn alternatives(&self) -> Vec<ValueType> {
        let mut ahead = Reader { text: self.text, at: self.at };
        ahead.aside();
        let mut found = Vec::new();
        loop {
            let has_comma = ahead.punctuation(&[',']);
            let is_last = ahead.take(&["or", "/", "|"]);
            if !has_comma && !is_last {
                return Vec::new();
            }
            ahead.articles();
            ahead.qualities();
            let start = ahead.at;
            let phrase = ahead.phrase(true).or_else(|| {
                ahead.at = start;
                ahead.sorted()
            });
            let Some(phrase) = phrase else {
                // `Date, character, or anything that can be read as one`.
                return if is_last { found } else { Vec::new() };
            };
            found.extend((!phrase.is_foreign).then_some(phrase.kind));
            if is_last {
                return found;
            }
        }
    }

    /// Steps over a remark: `(in [0, 1])`.
    fn aside(&mut self) {
        if let Some(length) = self.rest().strip_prefix(" (").and_then(|inner| inner.find(") or ")) {
            self.at += length + 3;
        }
    }

    /// Whether the sentence needs the type to be understood.
    pub(super) fn goes_on(&self) -> bool {
        ["of", "with", "containing", "or", "in", "if", "that", "where", "as", "for"]
            .contains(&self.peek().as_str())
            && !self.rest().starts_with('\n')
    }

    /// Where the description goes on behind a comma, stop, colon or dash, or right here if the type is marked as one.
    pub(super) fn set_off(&self, is_marked: bool) -> Option<usize> {
        let rest = self.rest();
        let trimmed = rest.trim_start();
        let at = self.at + rest.len() - trimmed.len();
        if trimmed.is_empty() {
            return None;
        }
        match trimmed.chars().next() {
            Some(',') if trimmed.starts_with(", or ") => None,
            Some(',' | '.' | ':' | ';') if trimmed[1..].starts_with([' ', '\n']) => Some(at + 1),
            Some('-' | '\u{2013}' | '\u{2014}') if rest.starts_with(' ') => {
                Some(at + trimmed.chars().next().map_or(1, char::len_utf8))
            }
            Some(',' | '.' | ':' | ';') if trimmed[1..].trim().is_empty() => None,
            _ => is_marked.then_some(at),
        }
    }
}

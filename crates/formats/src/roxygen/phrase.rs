//! The type that a description speaks of: `Character vector or NULL, the names`.
//!
//! The phrase at the beginning counts. Words later in the sentence are asked only if there is no
//! such phrase and the default says nothing.

use super::{kind::Kind, plain::Plain, reader::Reader};

/// A type phrase.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Phrase {
    pub(crate) kind: Kind,
    /// Whether `NULL` is named as another value.
    pub(crate) is_nullable: bool,
    /// Whether it says `vector`, `array` or `[]`.
    pub(crate) is_plural: bool,
    /// Whether the word names something that JSON cannot carry.
    pub(crate) is_foreign: bool,
    /// Whether another type is named beside it: `vector or list`.
    pub(crate) has_other: bool,
    /// Where the description goes on, if the phrase is set off from it.
    pub(crate) rest: Option<usize>,
}

const ARTICLES: [&str; 9] = ["a", "an", "the", "single", "optional", "optionally", "one", "named", "scalar"];

/// Words that say more about a value than its type does, so that they stay in the description.
const QUALITIES: [&str; 6] = ["positive", "negative", "nonnegative", "strictly", "finite", "short"];

/// Types that are said of a noun behind them.
const ADJECTIVES: [&str; 6] = ["character", "numeric", "numerical", "double", "integer", "logical"];

/// Stages of a parameter's life, which stand in parentheses before its type.
const STAGES: [&str; 6] = ["deprecated", "experimental", "superseded", "stable", "questioning", "defunct"];

/// The phrase that a text begins with.
pub(crate) fn leading(plain: &Plain) -> Option<Phrase> {
    let mut reader = Reader { text: &plain.text, at: 0 };
    let has_stage = reader.stage();
    let is_opened = reader.punctuation(&['(', '[']);
    let has_article = reader.articles();
    let null_first = reader.null_first();
    let is_qualified = reader.qualities();
    let start = reader.at;
    if null_first && reader.at_end() {
        return None;
    }
    let mut phrase = reader.phrase(has_article).or_else(|| {
        reader.at = start;
        reader.frames(has_article)
    })?;
    phrase.is_nullable |= null_first | reader.or_null();
    phrase.has_other |= reader.other().is_some_and(|kind| kind != phrase.kind);
    let is_enclosed = reader.punctuation(&[')', ']']) && is_opened;
    let is_code = plain.code.iter().any(|range| range.contains(&start) && range.end <= reader.at);
    let is_marked = phrase.rest.is_some() || is_enclosed || is_code && !has_article;
    phrase.rest = if has_stage || is_qualified || is_value(&plain.text[start..]) {
        None
    } else {
        reader.set_off(is_marked && !reader.goes_on())
    };
    Some(phrase)
}

/// Whether the word is a value of the type and not its name: `TRUE if it worked`.
fn is_value(text: &str) -> bool {
    text.trim_start().starts_with("TRUE") || text.trim_start().starts_with("FALSE")
}

/// The first type word anywhere in a text that counts where nothing else is known. Plurals are mostly what the
/// text is about, and not what is given: `width of padded strings`.
pub(crate) fn anywhere(text: &str) -> Option<Kind> {
    const ASKED: [&str; 9] = ["character", "string", "numeric", "numerical", "number", "double", "integer", "logical", "boolean"];
    let mut reader = Reader { text, at: 0 };
    let mut before = String::new();
    while !reader.at_end() {
        let start = reader.at;
        let word = reader.word();
        let next = reader.peek();
        let is_thing = ["a", "an", "named"].contains(&before.as_str());
        let is_amount = word == "number" && before == "a" && next == "of";
        let is_about = ["variable", "variables", "column", "columns", "encoding"].contains(&next.as_str());
        let is_asked = ASKED.contains(&word.trim_end_matches("[]")) && !is_amount && !is_about;
        let is_list = ["list", "lists"].contains(&word.as_str()) && is_thing;
        let is_vector = word == "vector" && is_thing && next == "of";
        if is_asked || is_list || is_vector {
            let mut ahead = Reader { text, at: start };
            let found = ahead.phrase(true).map(|phrase| phrase.kind);
            // A vector of what is not said may be one of anything.
            if !is_vector || ahead.at > reader.at {
                return found;
            }
        }
        before = word;
    }
    None
}

impl Reader<'_> {
    /// `(deprecated)`.
    fn stage(&mut self) -> bool {
        let start = self.at;
        let is_said = self.punctuation(&['(']) && self.take(&STAGES) && self.punctuation(&[')']);
        if !is_said {
            self.at = start;
        }
        is_said
    }

    /// `Strictly positive`, `Non-negative`.
    fn qualities(&mut self) -> bool {
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
    fn articles(&mut self) -> bool {
        let mut found = false;
        while self.take(&ARTICLES) {
            found = true;
            self.punctuation(&[')', '.', ',', ':']);
        }
        found
    }

    /// `NULL or`.
    fn null_first(&mut self) -> bool {
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
    fn or_null(&mut self) -> bool {
        let start = self.at;
        self.punctuation(&[',']);
        if self.take(&["or", "/", "|"]) && self.take(&["null"]) {
            return true;
        }
        self.at = start;
        let is_said = self.take(&["("]) && self.take(&["or"]) && self.take(&["null"]) && self.take(&[")"]);
        if !is_said {
            self.at = start;
        }
        is_said
    }

    /// The type behind `or`.
    fn other(&self) -> Option<Kind> {
        let mut ahead = Reader { text: self.text, at: self.at };
        ahead.punctuation(&[',']);
        if !ahead.take(&["or", "/", "|"]) {
            return None;
        }
        ahead.articles();
        ahead.phrase(true).map(|phrase| phrase.kind)
    }

    fn phrase(&mut self, has_article: bool) -> Option<Phrase> {
        let first = self.word();
        let (word, is_marked) = match first.strip_suffix("[]") {
            Some(word) => (word, true),
            None => (first.as_str(), false),
        };
        let (kind, is_foreign) = self.base(word, has_article)?;
        let mut phrase =
            Phrase { kind, is_nullable: false, is_plural: is_marked, is_foreign, has_other: false, rest: is_marked.then_some(0) };
        if is_marked && !matches!(word, "array" | "vector") {
            phrase.kind = phrase.kind.array();
        }
        self.length(&mut phrase);
        let is_adjective = ADJECTIVES.contains(&word) && self.text[..self.at].to_lowercase().ends_with(word);
        if is_adjective && let Some(other) = self.either() {
            phrase.has_other = other != phrase.kind;
            phrase.kind = phrase.kind.array();
        }
        self.container(&mut phrase);
        Some(phrase)
    }

    /// A data frame of some sort: `A specification data frame`, `Two data frames`.
    fn frames(&mut self, has_article: bool) -> Option<Phrase> {
        let sort = self.word();
        let is_sort =
            has_article && sort.starts_with(char::is_alphabetic) || ["two", "three", "several"].contains(&sort.as_str());
        is_sort.then(|| self.phrase(true)).flatten().filter(|phrase| phrase.kind == Kind::Rows)
    }

    /// The last type behind a word such as `numeric`, if they share a noun: `numeric or character vector`.
    fn either(&mut self) -> Option<Kind> {
        let mut ahead = Reader { text: self.text, at: self.at };
        let mut is_or = false;
        loop {
            ahead.punctuation(&[',']);
            is_or |= ahead.take(&["or", "/"]);
            let word = ahead.word();
            let (kind, _) = ahead.base(&word, true).filter(|(kind, _)| !matches!(kind, Kind::Array(_)))?;
            if ahead.take(&["vector", "vectors"]) {
                self.at = if is_or { ahead.at } else { self.at };
                return is_or.then_some(kind);
            }
        }
    }

    /// The type of the first word, with a second that belongs to it.
    fn base(&mut self, word: &str, has_article: bool) -> Option<(Kind, bool)> {
        let kind = match word {
            "character" => {
                self.take(&["string"]);
                Kind::Text
            }
            "string" | "factor" => Kind::Text,
            "strings" => Kind::Text.array(),
            "numeric" | "numerical" | "number" | "double" | "float" | "real" => Kind::Number,
            "numbers" | "doubles" | "floats" => Kind::Number.array(),
            "integer" | "int" => Kind::Integer,
            "whole" if self.take(&["number"]) => Kind::Integer,
            "integers" | "ints" => Kind::Integer.array(),
            "logical" | "boolean" | "bool" | "true" | "false" => Kind::Boolean,
            "logicals" | "booleans" => Kind::Boolean.array(),
            "date" => Kind::Date,
            "dates" => Kind::Date.array(),
            "posixct" | "posixlt" | "datetime" | "timestamp" => Kind::DateTime,
            "data" if self.take(&["frame", "table", "frames", "tables"]) => Kind::Rows,
            "data.frame" | "data.frames" | "dataframe" | "tibble" | "tibbles" | "data.table" => Kind::Rows,
            "matrix" => Kind::Number.array().array(),
            "vector" | "array" => Kind::Text.array(),
            "object" => Kind::Object,
            "list" if has_article || self.is_noun() => Kind::Object,
            "environment" if !["variable", "variables"].contains(&self.peek().as_str()) => return Some((Kind::Object, true)),
            "function" => return Some((Kind::Text, true)),
            _ => return None,
        };
        Some((kind, false))
    }

    /// Whether `List` is a thing here: `List all files` is an order.
    fn is_noun(&self) -> bool {
        let next = self.peek();
        self.at_end()
            || ["of", "with", "containing", "or", "where", "that"].contains(&next.as_str())
            || !next.starts_with(char::is_alphanumeric)
    }

    /// `character(1)` is one value, `character()` and `character(n)` are several.
    fn length(&mut self, phrase: &mut Phrase) {
        let Some(inner) = self.rest().strip_prefix('(') else { return };
        let Some(end) = inner.find(')').filter(|end| inner[..*end].chars().all(char::is_alphanumeric)) else { return };
        let is_one = &inner[..end] == "1";
        self.at += end + 2;
        phrase.rest = Some(0);
        if !is_one && matches!(phrase.kind, Kind::Text | Kind::Number | Kind::Integer | Kind::Boolean) {
            phrase.kind = phrase.kind.clone().array();
            phrase.is_plural = true;
        }
    }

    /// `vector`, `matrix`, `of integers` behind a type.
    fn container(&mut self, phrase: &mut Phrase) {
        let is_scalar = !matches!(phrase.kind, Kind::Array(_) | Kind::Rows);
        if is_scalar && phrase.kind != Kind::Object {
            if self.take(&["vector", "array", "vectors", "list"]) {
                phrase.kind = phrase.kind.clone().array();
                phrase.is_plural = true;
            } else if self.take(&["matrix"]) {
                phrase.kind = phrase.kind.clone().array().array();
            } else {
                self.take(&["scalar", "value"]);
            }
        }
        phrase.is_plural |= matches!(phrase.kind, Kind::Array(_));
        self.made_of(phrase);
    }

    /// `list of strings`, `vector of integers`, `matrix of numbers`.
    fn made_of(&mut self, phrase: &mut Phrase) {
        let start = self.at;
        let is_open =
            phrase.kind == Kind::Object || phrase.kind == Kind::Text.array() || phrase.kind == Kind::Number.array().array();
        if !is_open || !self.take(&["of"]) {
            self.at = start;
            return;
        }
        self.articles();
        let word = self.word();
        let made = match word.as_str() {
            "character" | "characters" | "string" | "strings" => Kind::Text,
            "numeric" | "numerics" | "numerical" | "number" | "numbers" | "double" | "doubles" => Kind::Number,
            "integer" | "integers" => Kind::Integer,
            "logical" | "logicals" | "boolean" | "booleans" => Kind::Boolean,
            "date" | "dates" => Kind::Date,
            "list" | "lists" | "object" | "objects" if phrase.kind == Kind::Object => Kind::Object,
            _ => {
                self.at = start;
                return;
            }
        };
        let made = match () {
            () if self.take(&["vectors"]) => made.array(),
            () if self.take(&["matrices"]) => made.array().array(),
            () => {
                self.take(&["string", "strings", "values"]);
                made
            }
        };
        phrase.kind = match &phrase.kind {
            Kind::Array(inner) if matches!(**inner, Kind::Array(_)) => made.array().array(),
            _ => made.array(),
        };
        phrase.is_plural = true;
    }

    /// Whether the sentence needs the type to be understood.
    fn goes_on(&self) -> bool {
        ["of", "with", "containing", "or", "in", "if", "that", "where", "as", "for"].contains(&self.peek().as_str())
    }

    /// Where the description goes on behind a comma, stop, colon or dash, or right here if the type is marked as one.
    fn set_off(&self, is_marked: bool) -> Option<usize> {
        let rest = self.rest();
        let trimmed = rest.trim_start();
        let at = self.at + rest.len() - trimmed.len();
        if trimmed.is_empty() {
            return None;
        }
        match trimmed.chars().next() {
            Some(',' | '.' | ':' | ';') if trimmed[1..].starts_with([' ', '\n']) => Some(at + 1),
            Some('-' | '\u{2013}' | '\u{2014}') if rest.starts_with(' ') => {
                Some(at + trimmed.chars().next().map_or(1, char::len_utf8))
            }
            Some(',' | '.' | ':' | ';') if trimmed[1..].trim().is_empty() => None,
            _ => is_marked.then_some(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, anywhere, leading};
    use crate::roxygen::plain::plain;

    fn read(text: &str) -> Option<(Kind, bool, String)> {
        let plain = plain(text);
        let phrase = leading(&plain)?;
        let rest = phrase.rest.map_or(plain.text.as_str(), |at| plain.text[at..].trim());
        Some((phrase.kind, phrase.is_nullable, rest.to_owned()))
    }

    #[test]
    fn the_leading_phrase_decides() {
        for (text, kind, is_nullable, rest) in [
            ("Character string, the name", Kind::Text, false, "the name"),
            ("Character or NULL, a name", Kind::Text, true, "a name"),
            ("Character vector or NULL. Optional filter", Kind::Text.array(), true, "Optional filter"),
            ("Integer vector of ids", Kind::Integer.array(), false, "Integer vector of ids"),
            ("Integer, count of items in the list", Kind::Integer, false, "count of items in the list"),
            ("Logical, whether the text is shown", Kind::Boolean, false, "whether the text is shown"),
            ("A number between 0 and 1", Kind::Number, false, "A number between 0 and 1"),
            ("Logical[] flags", Kind::Boolean.array(), false, "flags"),
            ("List of strings", Kind::Text.array(), false, "List of strings"),
            ("List, the options", Kind::Object, false, "the options"),
            ("Numeric matrix of values", Kind::Number.array().array(), false, "Numeric matrix of values"),
            ("Data frame, rows", Kind::Rows, false, "rows"),
            ("\\code{integer} the count", Kind::Integer, false, "the count"),
            ("\\code{integer[]} the counts", Kind::Integer.array(), false, "the counts"),
            ("Date. Start date", Kind::Date, false, "Start date"),
            ("NULL or integer", Kind::Integer, true, "NULL or integer"),
            ("`character(1)`\\cr the name", Kind::Text, false, "the name"),
            ("(`integer()`) the ids", Kind::Integer.array(), false, "the ids"),
            ("Array[], the items", Kind::Text.array(), false, "the items"),
            ("Vector of integers, the ids", Kind::Integer.array(), false, "the ids"),
            ("A `data.frame` with columns", Kind::Rows, false, "A data.frame with columns"),
            ("`TRUE` if it worked", Kind::Boolean, false, "TRUE if it worked"),
            ("Optional. Character string, x", Kind::Text, false, "x"),
            ("Positive integer. Most rows", Kind::Integer, false, "Positive integer. Most rows"),
            ("A non-negative number, the weight", Kind::Number, false, "A non-negative number, the weight"),
            ("A numeric or character vector. More", Kind::Number.array(), false, "More"),
            ("Numeric, integer or logical vector", Kind::Number.array(), false, "Numeric, integer or logical vector"),
            ("Character string or numeric vector", Kind::Text, false, "Character string or numeric vector"),
            ("(optional) numerical vector of widths", Kind::Number.array(), false, "(optional) numerical vector of widths"),
            ("A specification data frame. Useful", Kind::Rows, false, "Useful"),
            ("Two data frames to compare", Kind::Rows, false, "Two data frames to compare"),
            ("(character) path of the file", Kind::Text, false, "path of the file"),
        ] {
            assert_eq!(read(text), Some((kind, is_nullable, rest.to_owned())), "{text}");
        }
    }

    #[test]
    fn ordinary_words_are_not_types() {
        for text in [
            "Listing of files",
            "Characters to drop",
            "Functional form",
            "List all files",
            "Something",
            "Path: where to write",
            "Positive examples",
            "Environment variables to set",
            "The width of a data frame",
            "Non-standard names",
            "",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn later_words_count_where_nothing_else_does() {
        assert_eq!(anywhere("The maximum number of lines"), Some(Kind::Number));
        assert_eq!(anywhere("Names as a character vector"), Some(Kind::Text.array()));
        assert_eq!(anywhere("Options as a named list"), Some(Kind::Object));
        assert_eq!(anywhere("The names as a vector of strings"), Some(Kind::Text.array()));
        for text in [
            "Name from the list",
            "Minimum width of padded strings",
            "Do a number of checks",
            "Where x is a numeric variable",
            "Length of a vector of things",
        ] {
            assert_eq!(anywhere(text), None, "{text}");
        }
    }
}

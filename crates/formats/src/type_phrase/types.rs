//! The names of types: one word, or a few that belong together.

use super::{TypePhrase, ValueType, reader::Reader};

/// Types that are said of a noun behind them.
const ADJECTIVES: [&str; 6] = ["character", "numeric", "numerical", "double", "integer", "logical"];

/// What matrices are called that need no article.
const MATRICES: [&str; 8] =
    ["adjacency", "correlation", "covariance", "data", "design", "distance", "input", "model"];

/// Words that are no sort of what comes behind them: `the width of a data frame`, `Whether the matrix is square`.
const NO_SORTS: [&str; 24] = [
    "of", "in", "for", "with", "to", "from", "a", "an", "the", "and", "or", "which", "as",
    "whether", "should", "if", "is", "use", "print", "return", "show", "when", "how", "convert",
];

impl Reader<'_> {
    /// A type by its name.
    pub(super) fn phrase(&mut self, has_article: bool) -> Option<TypePhrase> {
        let first = self.word();
        let (word, is_marked) = match first.strip_suffix("[]") {
            Some(word) => (word, true),
            None => (first.as_str(), false),
        };
        self.hyphen(word);
        let (kind, is_foreign) = self.base(word, has_article)?;
        let rest = is_marked.then_some(0);
        let mut phrase = TypePhrase {
            kind,
            is_nullable: false,
            is_plural: is_marked,
            is_foreign,
            is_vague: false,
            others: Vec::new(),
            rest,
        };
        phrase.is_vague = matches!(word, "vector" | "array");
        if is_marked && !phrase.is_vague {
            phrase.kind = phrase.kind.array();
        }
        self.length(&mut phrase);
        let is_adjective =
            ADJECTIVES.contains(&word) && self.text[..self.at].to_lowercase().ends_with(word);
        if is_adjective && let Some(others) = self.either() {
            phrase.kind = phrase.kind.array();
            phrase.others = others.into_iter().map(ValueType::array).collect();
        }
        self.container(&mut phrase);
        Some(phrase)
    }

    /// `character-vector`, `integer-valued`.
    fn hyphen(&mut self, word: &str) {
        let behind = self.rest().strip_prefix('-').map(str::to_lowercase).unwrap_or_default();
        if ADJECTIVES.contains(&word)
            && ["string", "vector", "matrix", "valued"].iter().any(|noun| behind.starts_with(noun))
        {
            self.at += 1;
            self.take(&["valued"]);
        }
    }

    /// A table or vector of some sort: `A (grouped) data frame`, `Two data frames`, `covariance matrix`.
    pub(super) fn sorted(&mut self) -> Option<TypePhrase> {
        let start = self.at;
        let has_article = !self.text[..start].trim().is_empty();
        for sorts in 0..3 {
            let word = self.sort();
            let is_named = has_article || ["two", "three", "several"].contains(&word.as_str());
            if !word.starts_with(char::is_alphabetic) || NO_SORTS.contains(&word.as_str()) {
                break;
            }
            let mut ahead = Reader { text: self.text, at: self.at };
            let is_matrix =
                ahead.peek() == "matrix" && (is_named || MATRICES.contains(&word.as_str()));
            let is_vector = ahead.peek() == "vector" && is_named;
            let phrase = ahead.phrase(true).filter(|phrase| {
                is_matrix || is_vector || (is_named || sorts > 0) && phrase.kind == ValueType::Rows
            });
            if phrase.is_some()
                && !["column", "columns", "row", "rows", "name", "names"]
                    .contains(&ahead.peek().as_str())
            {
                self.at = ahead.at;
                return phrase;
            }
        }
        self.at = start;
        None
    }

    /// A word that says what sort of thing follows: `grouped`, `(grouped)`, `tidy-formatted`.
    fn sort(&mut self) -> String {
        self.punctuation(&['(']);
        let word = self.word();
        while self.rest().starts_with('-') {
            self.at += 1;
            self.word();
        }
        self.punctuation(&[')']);
        word
    }

    /// The other types behind a word such as `numeric`, if they share a noun: `numeric or character vector`.
    fn either(&mut self) -> Option<Vec<ValueType>> {
        let mut ahead = Reader { text: self.text, at: self.at };
        let mut is_or = false;
        let mut others = Vec::new();
        loop {
            ahead.punctuation(&[',']);
            is_or |= ahead.take(&["or", "/"]);
            let word = ahead.word();
            let (kind, _) =
                ahead.base(&word, true).filter(|(kind, _)| !matches!(kind, ValueType::Array(_)))?;
            others.push(kind);
            if ahead.take(&["vector", "vectors"]) {
                self.at = if is_or { ahead.at } else { self.at };
                return is_or.then_some(others);
            }
        }
    }

    /// The type of the first word, with a second that belongs to it.
    fn base(&mut self, word: &str, has_article: bool) -> Option<(ValueType, bool)> {
        let kind = match word {
            "character" => {
                self.take(&["string"]);
                ValueType::Text
            }
            "string" | "factor" | "formula" => ValueType::Text,
            "strings" => ValueType::Text.array(),
            "numeric" | "numerical" | "number" | "double" | "float" | "real" => ValueType::Number,
            "numbers" | "doubles" | "floats" => ValueType::Number.array(),
            "integer" | "int" => ValueType::Integer,
            "whole" if self.take(&["number"]) => ValueType::Integer,
            "integers" | "ints" => ValueType::Integer.array(),
            "logical" | "boolean" | "bool" | "true" | "false" => ValueType::Boolean,
            "logicals" | "booleans" => ValueType::Boolean.array(),
            "date" => ValueType::Date,
            "dates" => ValueType::Date.array(),
            "posixct" | "posixlt" | "posixt" | "datetime" | "timestamp" => ValueType::DateTime,
            "data" if self.take(&["frame", "table", "frames", "tables"]) => ValueType::Rows,
            "data.frame" | "data.frames" | "dataframe" | "tibble" | "tibbles" | "data.table" => {
                ValueType::Rows
            }
            "matrix" => ValueType::Number.array().array(),
            "vector" | "array" => ValueType::Text.array(),
            "object" => return Some(self.class().unwrap_or((ValueType::Object, false))),
            "list" if has_article || self.is_noun() => ValueType::Object,
            "environment" if !["variable", "variables"].contains(&self.peek().as_str()) => {
                return Some((ValueType::Object, true));
            }
            "function" => return Some((ValueType::Text, true)),
            _ => return None,
        };
        Some((kind, false))
    }

    /// The type in `of class "data.frame"`. Most classes are none that can be given.
    fn class(&mut self) -> Option<(ValueType, bool)> {
        let mut ahead = Reader { text: self.text, at: self.at };
        if !ahead.take_both("of", "class") {
            return None;
        }
        ahead.punctuation(&['"', '\'']);
        let word = ahead.word();
        let kind = match word.as_str() {
            "formula" => ValueType::Text,
            "data.frame" | "tibble" | "data.table" => ValueType::Rows,
            "matrix" => ValueType::Number.array().array(),
            "date" => ValueType::Date,
            "list" => ValueType::Object,
            _ => return Some((ValueType::Object, true)),
        };
        ahead.punctuation(&['"', '\'']);
        self.at = ahead.at;
        Some((kind, false))
    }

    /// Whether `List` is a thing here: `List all files` is an order.
    fn is_noun(&self) -> bool {
        let next = self.peek();
        self.at_end()
            || ["of", "with", "containing", "or", "where", "that", "object"]
                .contains(&next.as_str())
            || !next.starts_with(char::is_alphanumeric)
    }

    /// `character(1)` is one value, `character()` and `character(n)` are several.
    fn length(&mut self, phrase: &mut TypePhrase) {
        let Some(inner) = self.rest().strip_prefix('(') else {
            return;
        };
        let Some(end) =
            inner.find(')').filter(|end| inner[..*end].chars().all(char::is_alphanumeric))
        else {
            return;
        };
        let is_one = ["1", "1L"].contains(&&inner[..end]);
        self.at += end + 2;
        phrase.rest = Some(0);
        if !is_one
            && matches!(
                phrase.kind,
                ValueType::Text | ValueType::Number | ValueType::Integer | ValueType::Boolean
            )
        {
            phrase.kind = phrase.kind.clone().array();
            phrase.is_plural = true;
        }
    }

    /// `vector`, `matrix`, `data frame`, `of integers` behind a type.
    fn container(&mut self, phrase: &mut TypePhrase) {
        let is_scalar = !matches!(phrase.kind, ValueType::Array(_) | ValueType::Rows);
        if is_scalar && phrase.kind != ValueType::Object {
            if self.take(&["vector", "array", "vectors", "list"])
                || self.vector_aside()
                || self.is_several()
            {
                phrase.kind = phrase.kind.clone().array();
                phrase.is_plural = true;
            } else if self.take_both("data", "frame") || self.take(&["data.frame"]) {
                phrase.kind = ValueType::Rows;
            } else if self.take(&["matrix"]) || self.take_both("data", "matrix") {
                phrase.kind = phrase.kind.clone().array().array();
            } else {
                self.take(&["scalar", "value"]);
            }
        }
        phrase.is_plural |= matches!(phrase.kind, ValueType::Array(_));
        self.made_of(phrase);
    }

    /// `numeric (vector of observations)`.
    fn vector_aside(&mut self) -> bool {
        let start = self.at;
        let is_said = self.punctuation(&['(']) && self.take(&["vector"]);
        if !is_said {
            self.at = start;
        }
        is_said
    }

    /// Whether `of the same length as x` or `of length 2` follows, which stays in the text.
    fn is_several(&self) -> bool {
        let mut ahead = Reader { text: self.text, at: self.at };
        let is_of = ahead.take(&["of"]);
        ahead.take(&["the"]);
        is_of
            && (ahead.take_both("same", "length")
                || ahead.take(&["length"]) && !ahead.take(&["1", "1l", "one"]))
    }

    fn take_both(&mut self, first: &str, second: &str) -> bool {
        let start = self.at;
        let is_next = self.take(&[first]) && self.take(&[second]);
        if !is_next {
            self.at = start;
        }
        is_next
    }

    /// `list of strings`, `vector of integers`, `matrix of numbers`.
    fn made_of(&mut self, phrase: &mut TypePhrase) {
        let start = self.at;
        let is_open = phrase.kind == ValueType::Object
            || phrase.kind == ValueType::Text.array()
            || phrase.kind == ValueType::Number.array().array();
        if !is_open || !self.take(&["of"]) {
            self.at = start;
            return;
        }
        self.articles();
        let word = self.word();
        let made = match word.as_str() {
            "character" | "characters" | "string" | "strings" => ValueType::Text,
            "numeric" | "numerics" | "numerical" | "number" | "numbers" | "double" | "doubles" => {
                ValueType::Number
            }
            "integer" | "integers" => ValueType::Integer,
            "logical" | "logicals" | "boolean" | "booleans" => ValueType::Boolean,
            "date" | "dates" => ValueType::Date,
            "list" | "lists" | "object" | "objects" if phrase.kind == ValueType::Object => {
                ValueType::Object
            }
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
            ValueType::Array(inner) if matches!(**inner, ValueType::Array(_)) => {
                made.array().array()
            }
            _ => made.array(),
        };
        phrase.is_plural = true;
        phrase.is_vague = false;
    }
}

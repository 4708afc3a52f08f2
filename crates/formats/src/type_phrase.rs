//! The type that the description of an R value states: `Character vector or NULL, the names`.
//!
//! RAVE definitions and the roxygen2 comments they are built from give types in words. This module
//! reads the vocabulary of the RAVE format document ("Type Inference Rules", "Type Prefix
//! Stripping"), the R classes beyond it that have a JSON form (data frames, matrices, dates), and
//! `or NULL`. English has many more ways to hint at a type; those are deliberately not read,
//! because a wrong schema rejects valid calls, while a missing one is reported to the author, who
//! can begin the text with the type.

mod value_type;
mod words;

use std::ops::Range;

use serde_json::{Number, Value};

pub use self::value_type::ValueType;
use self::words::Words;

/// A type as a text states it.
#[derive(Clone, Debug, PartialEq)]
pub struct TypePhrase {
    /// The first type that the text names.
    pub value_type: ValueType,
    /// Whether `NULL` is allowed too.
    pub is_nullable: bool,
    /// Whether JSON cannot carry such a value: a function, an environment.
    pub is_foreign: bool,
    /// Whether the text says `vector` without the type of its elements.
    pub has_unknown_items: bool,
    /// Whether the text implies a single value: `Character string`, unlike `Character`.
    pub is_single: bool,
    /// Whether another type follows: `or a list`.
    pub has_alternative: bool,
    /// The byte at which the description continues, if the phrase is only a prefix of it.
    pub rest: Option<usize>,
}

/// Words before a type that do not change it.
const ARTICLES: [&str; 6] = ["a", "an", "the", "single", "optional", "named"];

/// Words after a type without which the sentence would lose its meaning.
const CONTINUATIONS: [&str; 6] = ["of", "with", "containing", "or", "that", "if"];

/// Scalar types that count anywhere in a text: the keywords of the RAVE format document.
const KEYWORDS: [&str; 8] =
    ["character", "string", "numeric", "number", "double", "integer", "logical", "boolean"];

/// The type phrase that `text` begins with. `code` has the byte ranges that are set as code, which
/// separates a type from the description as well as a comma does: `` `integer` the count``.
pub fn parse_leading(text: &str, code: &[Range<usize>]) -> Option<TypePhrase> {
    let mut words = Words::new(text);
    let mut has_article = skip_articles(&mut words);
    // R documentation has both `NULL or integer` and `integer or NULL`.
    let null_first = words.take_pair("null", "or");
    has_article |= skip_articles(&mut words);
    let start = words;
    // `TRUE if it worked` names values of the type, so the description needs them.
    if ["TRUE", "FALSE"].iter().any(|value| start.rest().trim_start().starts_with(value)) {
        return Some(TypePhrase::new(ValueType::Boolean));
    }
    let mut phrase = parse_type(&mut words, has_article)?;
    phrase.is_nullable = null_first || words.take_pair("or", "null");
    phrase.has_alternative = words.peek() == "or" || words.rest().starts_with(", or ");
    let is_code = code.iter().any(|range| range.contains(&start.at) && range.end <= words.at);
    let is_marked = is_code && !has_article || text[..words.at].ends_with("[]");
    // With an alternative nothing can be stripped: "or a list" would remain.
    if !phrase.has_alternative {
        phrase.rest = find_description(&words, is_marked);
    }
    Some(phrase)
}

/// The type that a text hints at if it states none and there is no default: a number if it has
/// bounds, else the type of the first keyword.
pub fn guess(text: &str) -> Option<ValueType> {
    if parse_range(text).is_some() {
        return Some(ValueType::Number);
    }
    let mut words = Words::new(text);
    while !words.rest().trim().is_empty() {
        if KEYWORDS.contains(&words.peek().as_str()) {
            return parse_type(&mut words, true).map(|phrase| phrase.value_type);
        }
        words.next();
    }
    None
}

/// The bounds in `between 0 and 1`.
pub fn parse_range(text: &str) -> Option<(Number, Number)> {
    let lower = text.to_lowercase();
    let (low, high) = lower.split_once("between ")?.1.split_once(" and ")?;
    let high = high.split([' ', ',', ')', ';', '\n']).next()?.trim_end_matches('.');
    Some((serde_json::from_str(low.trim()).ok()?, serde_json::from_str(high).ok()?))
}

/// The schema of the type that a description begins with, if that can be no mistake: the type is
/// separated from the description, or is a data frame.
pub(crate) fn parse_schema(description: &str) -> Option<Value> {
    let phrase = parse_leading(description, &[])?;
    let is_clear = phrase.rest.is_some() || phrase.value_type == ValueType::Rows;
    (is_clear && !phrase.is_foreign).then(|| phrase.value_type.to_schema())
}

fn skip_articles(words: &mut Words<'_>) -> bool {
    let mut found = false;
    while words.take(&ARTICLES) {
        found = true;
        // `Optional. Character string, …`
        words.take(&[".", ","]);
    }
    found
}

/// A type by its name, with the words that belong to it: `numeric`, `numeric vector`, `numeric[]`.
fn parse_type(words: &mut Words<'_>, has_article: bool) -> Option<TypePhrase> {
    let word = words.next();
    let mut phrase = match scalar(&word) {
        Some(element) => {
            let is_string = word == "string" || word == "character" && words.peek() == "string";
            let value_type = parse_shape(words, &word, element);
            let is_single = is_string && value_type.is_scalar();
            TypePhrase { is_single, ..TypePhrase::new(value_type) }
        }
        None => parse_noun(words, &word, has_article)?,
    };
    let is_list = phrase.value_type == ValueType::Object;
    if (is_list || phrase.has_unknown_items)
        && let Some(element) = parse_elements(words)
    {
        phrase.value_type = element.array();
        phrase.has_unknown_items = false;
    }
    Some(phrase)
}

impl TypePhrase {
    fn new(value_type: ValueType) -> Self {
        Self {
            value_type,
            is_nullable: false,
            is_foreign: false,
            has_unknown_items: false,
            is_single: false,
            has_alternative: false,
            rest: None,
        }
    }
}

fn scalar(word: &str) -> Option<ValueType> {
    Some(match word {
        "character" | "string" | "factor" => ValueType::Text,
        "numeric" | "number" | "double" | "float" => ValueType::Number,
        "integer" | "int" => ValueType::Integer,
        "logical" | "boolean" | "bool" => ValueType::Boolean,
        _ => return None,
    })
}

/// The shape that the words after a scalar type give it.
fn parse_shape(words: &mut Words<'_>, word: &str, element: ValueType) -> ValueType {
    // "Character string" is one value, like "string".
    if word == "character" {
        words.take(&["string"]);
    }
    if take_brackets(words) || words.take(&["vector", "array"]) {
        element.array()
    } else if words.take(&["matrix"]) {
        element.array().array()
    } else {
        element
    }
}

/// A type that is not a scalar. Most of these words mean something else without an article: `List
/// all files`, `Environment variables to set`.
fn parse_noun(words: &mut Words<'_>, word: &str, has_article: bool) -> Option<TypePhrase> {
    let is_frame =
        matches!(word, "data.frame" | "tibble") || word == "data" && words.take(&["frame"]);
    if is_frame {
        return Some(TypePhrase::new(ValueType::Rows));
    }
    let value_type = match word {
        "vector" | "array" => ValueType::Text.array(),
        "matrix" => ValueType::Number.array().array(),
        "list" | "object" | "environment" => ValueType::Object,
        "function" => ValueType::Text,
        "date" => ValueType::Date,
        "posixct" | "posixlt" => ValueType::DateTime,
        _ => return None,
    };
    take_brackets(words);
    // Only R knows what an object of a class consists of.
    let is_class = word == "object" && words.clone().take_pair("of", "class");
    let mut phrase = TypePhrase::new(value_type);
    phrase.is_foreign = matches!(word, "function" | "environment");
    phrase.has_unknown_items = matches!(word, "vector" | "array");
    (!is_class && (has_article || is_noun(words))).then_some(phrase)
}

/// `numeric[]`.
fn take_brackets(words: &mut Words<'_>) -> bool {
    let has_brackets = words.rest().starts_with("[]");
    words.at += if has_brackets { 2 } else { 0 };
    has_brackets
}

fn is_noun(words: &Words<'_>) -> bool {
    let next = words.peek();
    !next.starts_with(char::is_alphanumeric) || CONTINUATIONS.contains(&next.as_str())
}

/// The elements in `list of strings`, `vector of numbers`.
fn parse_elements(words: &mut Words<'_>) -> Option<ValueType> {
    let mut ahead = *words;
    if !ahead.take(&["of"]) {
        return None;
    }
    let word = ahead.next();
    let singular = word.strip_suffix('s').unwrap_or(&word);
    let element = match singular {
        "date" => ValueType::Date,
        singular => scalar(singular)?,
    };
    *words = ahead;
    Some(element)
}

/// Where the description continues: after a comma, period, colon, semicolon or dash, or right here
/// if the type is marked as one. `None` if it consists of the type alone.
fn find_description(words: &Words<'_>, is_marked: bool) -> Option<usize> {
    let rest = words.rest();
    let body = rest.trim_start();
    let at = words.text.len() - body.len();
    let first = body.chars().next()?;
    let after = &body[first.len_utf8()..];
    match first {
        _ if after.trim().is_empty() => None,
        ',' | '.' | ':' | ';' if after.starts_with(char::is_whitespace) => Some(at + 1),
        '-' | '\u{2013}' | '\u{2014}' if rest.starts_with(' ') => Some(at + first.len_utf8()),
        _ => (is_marked && !CONTINUATIONS.contains(&words.peek().as_str())).then_some(at),
    }
}

#[cfg(test)]
mod tests {
    use super::{ValueType, guess, parse_leading};

    /// Reads a text in which code is between backticks: the type, whether it is nullable, and the
    /// description.
    fn read(marked: &str) -> Option<(ValueType, bool, String)> {
        let (mut text, mut code) = (String::new(), Vec::new());
        for (index, part) in marked.split('`').enumerate() {
            if index % 2 == 1 {
                code.push(text.len()..text.len() + part.len());
            }
            text.push_str(part);
        }
        let phrase = parse_leading(&text, &code)?;
        let rest = phrase.rest.map_or(text.as_str(), |at| text[at..].trim());
        Some((phrase.value_type, phrase.is_nullable, rest.to_owned()))
    }

    #[test]
    fn reads_the_type_and_strips_it_from_the_description() {
        for (text, value_type, rest) in [
            ("Character string, the name", ValueType::Text, "the name"),
            ("Character vector: the names", ValueType::Text.array(), "the names"),
            ("Character[], the names", ValueType::Text.array(), "the names"),
            ("Logical[] flags", ValueType::Boolean.array(), "flags"),
            ("Integer array. Ids", ValueType::Integer.array(), "Ids"),
            ("Double - the weight", ValueType::Number, "the weight"),
            ("Optional. Boolean, flag", ValueType::Boolean, "flag"),
            ("List, the options", ValueType::Object, "the options"),
            ("Data frame, rows", ValueType::Rows, "rows"),
            ("Matrix, values", ValueType::Number.array().array(), "values"),
            ("Array[], the items", ValueType::Text.array(), "the items"),
            ("Vector of integers, the ids", ValueType::Integer.array(), "the ids"),
            ("`integer` the count", ValueType::Integer, "the count"),
            ("`integer[]` the counts", ValueType::Integer.array(), "the counts"),
            ("Date. Start date", ValueType::Date, "Start date"),
            ("POSIXct, the start", ValueType::DateTime, "the start"),
            (
                "Integer, count of items in the list",
                ValueType::Integer,
                "count of items in the list",
            ),
            ("Logical, whether the text is shown", ValueType::Boolean, "whether the text is shown"),
        ] {
            assert_eq!(read(text), Some((value_type, false, rest.to_owned())), "{text}");
        }
    }

    #[test]
    fn keeps_a_type_that_the_sentence_needs() {
        for (text, value_type) in [
            ("Integer vector of ids", ValueType::Integer.array()),
            ("A number between 0 and 1", ValueType::Number),
            ("List of strings", ValueType::Text.array()),
            ("Numeric matrix of values", ValueType::Number.array().array()),
            ("A `data.frame` with columns", ValueType::Rows),
            ("`data.frame` with columns", ValueType::Rows),
            ("`TRUE` if it worked", ValueType::Boolean),
            ("Character string or vector", ValueType::Text),
            ("Numeric, or a list", ValueType::Number),
            ("A list to convert", ValueType::Object),
        ] {
            assert_eq!(read(text), Some((value_type, false, text.replace('`', ""))), "{text}");
        }
    }

    #[test]
    fn reads_null_before_or_after_the_type() {
        for (text, value_type, rest) in [
            ("Character or NULL, a name", ValueType::Text, "a name"),
            ("Character vector or NULL. Filter", ValueType::Text.array(), "Filter"),
            ("NULL or integer", ValueType::Integer, "NULL or integer"),
        ] {
            assert_eq!(read(text), Some((value_type, true, rest.to_owned())), "{text}");
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
            "Environment variables to set",
            "The width of a data frame",
            "An object of class lm",
            "True colors",
            "",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn guesses_from_bounds_and_keywords() {
        assert_eq!(guess("Weight between 0 and 1"), Some(ValueType::Number));
        assert_eq!(guess("The maximum number of lines"), Some(ValueType::Number));
        assert_eq!(guess("Names as a character vector"), Some(ValueType::Text.array()));
        assert_eq!(guess("Name from the list"), None);
        assert_eq!(guess("Minimum width of padded strings"), None);
    }
}

//! The type that a description speaks of: `Character vector or NULL, the names`.
//!
//! The phrase at the beginning counts. Words later in the sentence are asked only if there is no
//! such phrase and the default says nothing.

mod around;
mod reader;
mod types;
mod value_type;

use std::ops::Range;

use serde_json::Number;

use self::reader::Reader;
pub use self::value_type::ValueType;

/// A type as a text names it, with what the words around it add.
#[derive(Clone, Debug, PartialEq)]
pub struct TypePhrase {
    /// The type.
    pub kind: ValueType,
    /// Whether `NULL` is named as another value.
    pub is_nullable: bool,
    /// Whether it says `vector`, `array` or `[]`.
    pub is_plural: bool,
    /// Whether the word names something that JSON cannot carry.
    pub is_foreign: bool,
    /// Whether it says nothing about what a vector holds.
    pub is_vague: bool,
    /// Other types that are named beside it: `vector or list`.
    pub others: Vec<ValueType>,
    /// Where the description goes on, if the phrase is set off from it.
    pub rest: Option<usize>,
}

/// The phrase that a text begins with.
pub fn leading(text: &str, code: &[Range<usize>]) -> Option<TypePhrase> {
    let mut reader = Reader { text, at: 0 };
    let has_stage = reader.stage();
    let is_opened = reader.punctuation(&['(', '[']);
    let has_article = reader.articles();
    let null_first = reader.null_first();
    let is_qualified = reader.qualities();
    let start = reader.at;
    if null_first && reader.at_end() {
        return None;
    }
    let named = reader.phrase(has_article);
    let has_sort = named.is_none();
    let mut phrase = named.or_else(|| {
        reader.at = start;
        reader.sorted()
    })?;
    if is_qualified && phrase.is_vague {
        (phrase.kind, phrase.is_vague) = (ValueType::Number.array(), false);
    }
    phrase.is_nullable |= null_first | reader.or_null();
    let mut others = reader.alternatives();
    if text[start..reader.at].contains(" of ") {
        // `A vector of numbers or strings`.
        others = others
            .into_iter()
            .map(|other| if other.is_scalar() { other.array() } else { other })
            .collect();
    }
    let is_enclosed = reader.punctuation(&[')', ']']) && is_opened;
    let is_code = code.iter().any(|range| range.contains(&start) && range.end <= reader.at);
    let is_marked = phrase.rest.is_some() || is_enclosed || is_code && !has_article;
    let is_needed =
        has_stage || has_sort || is_qualified || !others.is_empty() || is_value(&text[start..]);
    phrase.rest = if is_needed {
        None
    } else {
        reader.set_off(is_enclosed || is_marked && !reader.goes_on())
    };
    phrase.others.extend(others);
    phrase.others.retain(|other| *other != phrase.kind);
    Some(phrase)
}

/// The schema of the type that a description begins with, if it is set off from the rest or names a data frame.
pub(crate) fn clear_type(description: &str) -> Option<serde_json::Value> {
    let phrase = leading(description, &[])?;
    let is_clear = phrase.rest.is_some() || phrase.kind == ValueType::Rows;
    (is_clear && !phrase.is_foreign).then(|| phrase.kind.to_schema())
}

/// Whether the word is a value of the type and not its name: `TRUE if it worked`.
fn is_value(text: &str) -> bool {
    text.trim_start().starts_with("TRUE") || text.trim_start().starts_with("FALSE")
}

/// What a text may mean that neither begins with a type nor has a default: a number where it names bounds, else the first
/// type word in it. Plurals are mostly what the text is about, and not what is given: `width of padded strings`.
pub fn guessed(text: &str) -> Option<ValueType> {
    if range(text).is_some() { Some(ValueType::Number) } else { anywhere(text) }
}

/// The bounds of `between 0 and 1`.
pub fn range(text: &str) -> Option<(Number, Number)> {
    let lower = text.to_lowercase();
    let behind = &lower[lower.find("between ")? + "between ".len()..];
    let (low, behind) = behind.split_once(" and ")?;
    let high = behind.split([' ', ',', ')', ';', '\n']).next()?.trim_end_matches('.');
    Some((serde_json::from_str(low.trim()).ok()?, serde_json::from_str(high).ok()?))
}

/// The first type word in a text that counts where nothing else is known.
fn anywhere(text: &str) -> Option<ValueType> {
    const ASKED: [&str; 9] = [
        "character",
        "string",
        "numeric",
        "numerical",
        "number",
        "double",
        "integer",
        "logical",
        "boolean",
    ];
    let mut reader = Reader { text, at: 0 };
    let (mut before, mut is_part) = (String::new(), false);
    while !reader.at_end() {
        let start = reader.at;
        let word = reader.word();
        let next = reader.peek();
        let is_thing = ["a", "an", "named"].contains(&before.as_str());
        // What a function takes is not what is given.
        is_part |= word == "of";
        if ["function", "formula", "expression"].contains(&word.as_str()) && !is_part {
            return None;
        }
        let is_amount = word == "number" && before == "a" && next == "of";
        let is_about =
            ["variable", "variables", "column", "columns", "encoding"].contains(&next.as_str());
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

#[cfg(test)]
mod tests {
    use super::{ValueType, guessed, leading};

    /// Reads a text in which code is between backticks.
    fn read(marked: &str) -> Option<(ValueType, bool, String)> {
        let (mut text, mut code) = (String::new(), Vec::new());
        for (index, part) in marked.split('`').enumerate() {
            if index % 2 == 1 {
                code.push(text.len()..text.len() + part.len());
            }
            text.push_str(part);
        }
        let phrase = leading(&text, &code)?;
        let rest = phrase.rest.map_or(text.as_str(), |at| text[at..].trim());
        Some((phrase.kind, phrase.is_nullable, rest.to_owned()))
    }

    #[test]
    fn the_leading_phrase_decides() {
        for (text, kind, is_nullable, rest) in [
            ("Character string, the name", ValueType::Text, false, "the name"),
            ("Character or NULL, a name", ValueType::Text, true, "a name"),
            (
                "Character vector or NULL. Optional filter",
                ValueType::Text.array(),
                true,
                "Optional filter",
            ),
            ("Integer vector of ids", ValueType::Integer.array(), false, "Integer vector of ids"),
            (
                "Integer, count of items in the list",
                ValueType::Integer,
                false,
                "count of items in the list",
            ),
            (
                "Logical, whether the text is shown",
                ValueType::Boolean,
                false,
                "whether the text is shown",
            ),
            ("A number between 0 and 1", ValueType::Number, false, "A number between 0 and 1"),
            ("Logical[] flags", ValueType::Boolean.array(), false, "flags"),
            ("List of strings", ValueType::Text.array(), false, "List of strings"),
            ("List, the options", ValueType::Object, false, "the options"),
            (
                "Numeric matrix of values",
                ValueType::Number.array().array(),
                false,
                "Numeric matrix of values",
            ),
            ("Data frame, rows", ValueType::Rows, false, "rows"),
            ("`integer` the count", ValueType::Integer, false, "the count"),
            ("`integer[]` the counts", ValueType::Integer.array(), false, "the counts"),
            ("Date. Start date", ValueType::Date, false, "Start date"),
            ("NULL or integer", ValueType::Integer, true, "NULL or integer"),
            ("`character(1)`\nthe name", ValueType::Text, false, "the name"),
            ("(`integer()`) the ids", ValueType::Integer.array(), false, "the ids"),
            ("Array[], the items", ValueType::Text.array(), false, "the items"),
            ("Vector of integers, the ids", ValueType::Integer.array(), false, "the ids"),
            ("A `data.frame` with columns", ValueType::Rows, false, "A data.frame with columns"),
            ("`TRUE` if it worked", ValueType::Boolean, false, "TRUE if it worked"),
            ("Optional. Character string, x", ValueType::Text, false, "x"),
            (
                "Positive integer. Most rows",
                ValueType::Integer,
                false,
                "Positive integer. Most rows",
            ),
            (
                "A non-negative number, the weight",
                ValueType::Number,
                false,
                "A non-negative number, the weight",
            ),
            ("A numeric or character vector. More", ValueType::Number.array(), false, "More"),
            (
                "Numeric, integer or logical vector",
                ValueType::Number.array(),
                false,
                "Numeric, integer or logical vector",
            ),
            (
                "Character string or numeric vector",
                ValueType::Text,
                false,
                "Character string or numeric vector",
            ),
            (
                "(optional) numerical vector of widths",
                ValueType::Number.array(),
                false,
                "(optional) numerical vector of widths",
            ),
            (
                "A specification data frame. Useful",
                ValueType::Rows,
                false,
                "A specification data frame. Useful",
            ),
            ("Two data frames to compare", ValueType::Rows, false, "Two data frames to compare"),
            ("(`character(1)`)\nIf it is given", ValueType::Text, false, "If it is given"),
            ("Optional string, or a grob", ValueType::Text, false, "Optional string, or a grob"),
            ("(character) path of the file", ValueType::Text, false, "path of the file"),
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
        assert_eq!(guessed("The maximum number of lines"), Some(ValueType::Number));
        assert_eq!(guessed("Weight between 0 and 1"), Some(ValueType::Number));
        assert_eq!(guessed("Names as a character vector"), Some(ValueType::Text.array()));
        assert_eq!(guessed("Options as a named list"), Some(ValueType::Object));
        assert_eq!(guessed("The names as a vector of strings"), Some(ValueType::Text.array()));
        for text in [
            "Name from the list",
            "Do a number of checks",
            "Minimum width of padded strings",
            "Whether to print",
            "Where x is a numeric variable",
            "Names of a vector of things",
        ] {
            assert_eq!(guessed(text), None, "{text}");
        }
    }
}

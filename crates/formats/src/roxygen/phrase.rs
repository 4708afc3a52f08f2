//! The type that a description speaks of: `Character vector or NULL, the names`.
//!
//! The phrase at the beginning counts. Words later in the sentence are asked only if there is no
//! such phrase and the default says nothing.

mod around;
mod types;

use serde_json::Number;

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
    /// Whether it says nothing about what a vector holds.
    pub(crate) is_vague: bool,
    /// Other types that are named beside it: `vector or list`.
    pub(crate) others: Vec<Kind>,
    /// Where the description goes on, if the phrase is set off from it.
    pub(crate) rest: Option<usize>,
}

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
    let named = reader.phrase(has_article);
    let has_sort = named.is_none();
    let mut phrase = named.or_else(|| {
        reader.at = start;
        reader.sorted()
    })?;
    if is_qualified && phrase.is_vague {
        (phrase.kind, phrase.is_vague) = (Kind::Number.array(), false);
    }
    phrase.is_nullable |= null_first | reader.or_null();
    let mut others = reader.alternatives();
    if plain.text[start..reader.at].contains(" of ") {
        // `A vector of numbers or strings`.
        others = others
            .into_iter()
            .map(|other| if other.is_atom() { other.array() } else { other })
            .collect();
    }
    let is_enclosed = reader.punctuation(&[')', ']']) && is_opened;
    let is_code = plain.code.iter().any(|range| range.contains(&start) && range.end <= reader.at);
    let is_marked = phrase.rest.is_some() || is_enclosed || is_code && !has_article;
    let is_needed = has_stage
        || has_sort
        || is_qualified
        || !others.is_empty()
        || is_value(&plain.text[start..]);
    phrase.rest = if is_needed {
        None
    } else {
        reader.set_off(is_enclosed || is_marked && !reader.goes_on())
    };
    phrase.others.extend(others);
    phrase.others.retain(|other| *other != phrase.kind);
    Some(phrase)
}

/// Whether the word is a value of the type and not its name: `TRUE if it worked`.
fn is_value(text: &str) -> bool {
    text.trim_start().starts_with("TRUE") || text.trim_start().starts_with("FALSE")
}

/// What a text may mean that neither begins with a type nor has a default: a number where it names bounds, else the first
/// type word in it. Plurals are mostly what the text is about, and not what is given: `width of padded strings`.
pub(crate) fn guessed(plain: &Plain) -> Option<Kind> {
    if range(&plain.text).is_some() { Some(Kind::Number) } else { anywhere(&plain.text) }
}

/// The bounds of `between 0 and 1`.
pub(crate) fn range(text: &str) -> Option<(Number, Number)> {
    let lower = text.to_lowercase();
    let behind = &lower[lower.find("between ")? + "between ".len()..];
    let (low, behind) = behind.split_once(" and ")?;
    let high = behind.split([' ', ',', ')', ';', '\n']).next()?.trim_end_matches('.');
    Some((serde_json::from_str(low.trim()).ok()?, serde_json::from_str(high).ok()?))
}

/// The first type word in a text that counts where nothing else is known.
fn anywhere(text: &str) -> Option<Kind> {
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
    use super::{Kind, guessed, leading};
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
            (
                "Character vector or NULL. Optional filter",
                Kind::Text.array(),
                true,
                "Optional filter",
            ),
            ("Integer vector of ids", Kind::Integer.array(), false, "Integer vector of ids"),
            (
                "Integer, count of items in the list",
                Kind::Integer,
                false,
                "count of items in the list",
            ),
            (
                "Logical, whether the text is shown",
                Kind::Boolean,
                false,
                "whether the text is shown",
            ),
            ("A number between 0 and 1", Kind::Number, false, "A number between 0 and 1"),
            ("Logical[] flags", Kind::Boolean.array(), false, "flags"),
            ("List of strings", Kind::Text.array(), false, "List of strings"),
            ("List, the options", Kind::Object, false, "the options"),
            (
                "Numeric matrix of values",
                Kind::Number.array().array(),
                false,
                "Numeric matrix of values",
            ),
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
            (
                "A non-negative number, the weight",
                Kind::Number,
                false,
                "A non-negative number, the weight",
            ),
            ("A numeric or character vector. More", Kind::Number.array(), false, "More"),
            (
                "Numeric, integer or logical vector",
                Kind::Number.array(),
                false,
                "Numeric, integer or logical vector",
            ),
            (
                "Character string or numeric vector",
                Kind::Text,
                false,
                "Character string or numeric vector",
            ),
            (
                "(optional) numerical vector of widths",
                Kind::Number.array(),
                false,
                "(optional) numerical vector of widths",
            ),
            (
                "A specification data frame. Useful",
                Kind::Rows,
                false,
                "A specification data frame. Useful",
            ),
            ("Two data frames to compare", Kind::Rows, false, "Two data frames to compare"),
            ("(`character(1)`)\\cr If it is given", Kind::Text, false, "If it is given"),
            ("Optional string, or a grob", Kind::Text, false, "Optional string, or a grob"),
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

    fn guess(text: &str) -> Option<Kind> {
        guessed(&plain(text))
    }

    #[test]
    fn later_words_count_where_nothing_else_does() {
        assert_eq!(guess("The maximum number of lines"), Some(Kind::Number));
        assert_eq!(guess("Weight between 0 and 1"), Some(Kind::Number));
        assert_eq!(guess("Names as a character vector"), Some(Kind::Text.array()));
        assert_eq!(guess("Options as a named list"), Some(Kind::Object));
        assert_eq!(guess("The names as a vector of strings"), Some(Kind::Text.array()));
        for text in [
            "Name from the list",
            "Do a number of checks",
            "Minimum width of padded strings",
            "Whether to print",
            "Where x is a numeric variable",
            "Names of a vector of things",
        ] {
            assert_eq!(guess(text), None, "{text}");
        }
    }
}

//! What a text asks for that neither begins with a type nor has a default that says one.

use std::ops::Range;

use serde_json::Number;

use super::super::{constant::Constant, kind::Kind, plain::Plain, reader::Reader, source};

/// What is asked for: yes or no, an amount, or the first type word in the first sentence, or in all of the text if that
/// only says that more follows. Plurals are mostly what the text is about, and not what is given: `width of padded strings`.
pub(crate) fn guessed(plain: &Plain) -> Option<Kind> {
    let sentence = &plain.text[plain.sentences().into_iter().next()?];
    if is_question(sentence) {
        return Some(Kind::Boolean);
    }
    if (is_amount(sentence) || range(&plain.text).is_some()) && !has_text(plain) {
        return Some(Kind::Number);
    }
    anywhere(if sentence.trim_end().ends_with(':') { &plain.text } else { sentence })
}

/// Whether a sentence is answered by yes or no: `Whether to print`, `If TRUE, …`, `Print it?`
fn is_question(sentence: &str) -> bool {
    let mut reader = Reader { text: sentence, at: 0 };
    if sentence.trim_end().ends_with('?') {
        return !["what", "which", "how", "where", "when", "who", "why"].contains(&reader.peek().as_str());
    }
    reader.take(&["whether", "should"]) || reader.take(&["if", "when"]) && reader.take(&["true", "false"])
}

/// The bounds of `between 0 and 1`.
pub(crate) fn range(text: &str) -> Option<(Number, Number)> {
    let lower = text.to_lowercase();
    let behind = &lower[lower.find("between ")? + "between ".len()..];
    let (low, behind) = behind.split_once(" and ")?;
    let high = behind.split([' ', ',', ')', ';', '\n']).next()?.trim_end_matches('.');
    Some((serde_json::from_str(low.trim()).ok()?, serde_json::from_str(high).ok()?))
}

/// Nouns for what is counted or measured.
const AMOUNTS: [&str; 24] = [
    "minimum",
    "maximum",
    "amount",
    "angle",
    "bandwidth",
    "count",
    "degrees",
    "depth",
    "duration",
    "fraction",
    "height",
    "length",
    "mean",
    "number",
    "probability",
    "proportion",
    "radius",
    "sd",
    "size",
    "threshold",
    "tolerance",
    "variance",
    "weight",
    "width",
];

/// Whether the thing that a sentence begins with is an amount: `Minimum width of padded strings`.
fn is_amount(sentence: &str) -> bool {
    let mut reader = Reader { text: sentence, at: 0 };
    reader.articles();
    let is_bound = ["minimum", "maximum", "minimal", "maximal"].contains(&reader.peek().as_str());
    let mut last = String::new();
    for _ in 0..4 {
        let word = reader.peek();
        let is_over = ["of", "in", "for", "to", "at", "by"].contains(&word.as_str());
        if is_over || !word.starts_with(char::is_alphabetic) {
            return AMOUNTS.contains(&last.as_str()) || is_bound && ["value", "rating", "score", "age"].contains(&last.as_str());
        }
        if ["a", "an", "the"].contains(&word.as_str()) {
            return false;
        }
        last = reader.word();
    }
    false
}

/// Whether a text quotes texts, so that it is about them: a width may be `"100%"`.
fn has_text(plain: &Plain) -> bool {
    let is_text = |code: &Range<usize>| matches!(source::constant(&plain.text[code.clone()]), Constant::Text(_));
    plain.text.contains('"') || plain.code.iter().any(is_text)
}

/// The first type word in a sentence that counts where nothing else is known.
fn anywhere(text: &str) -> Option<Kind> {
    const ASKED: [&str; 9] = ["character", "string", "numeric", "numerical", "number", "double", "integer", "logical", "boolean"];
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
        if word == "scalar" && ["positive", "negative"].contains(&before.as_str()) {
            return Some(Kind::Number);
        }
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

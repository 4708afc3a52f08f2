//! `@return` as a schema: the parts of a list by their `\item`s, however deep.

use std::ops::Range;

use formats::type_phrase::{TypePhrase, ValueType};
use serde_json::{Map, Value as Json, json};

use super::{
    description::unstopped,
    markup::{self, Piece},
    plain::{self, Plain},
    remarks::Remarks,
};
use crate::rules::{GUESSED_TYPE, UNBALANCED};

/// How texts begin that say that there is nothing to return.
const NOTHING: [&str; 9] = [
    "nothing",
    "none",
    "no return value",
    "null.",
    "null;",
    "null, invisibly",
    "invisible null",
    "invisibly returns null",
    "called for",
];

/// Words that only say that parts follow.
const LITTLE: [&str; 13] = [
    "a",
    "an",
    "named",
    "list",
    "with",
    "containing",
    "including",
    "the",
    "following",
    "elements",
    "components",
    "fields",
    "of",
];

/// The schema of what is returned, unless that is nothing.
pub(crate) fn returns(text: &str, at: usize, remarks: &mut Remarks) -> Option<Json> {
    let markup = markup::parse(text);
    if markup.is_unbalanced {
        remarks.say(
            &UNBALANCED,
            at,
            "a brace in the text of `@return` is never closed; what follows it is lost",
            "close it with `}`",
        );
    }
    let said = plain::of_pieces(&markup.pieces).text.to_lowercase();
    let is_nothing =
        said.is_empty() || said == "null" || NOTHING.iter().any(|begin| said.starts_with(begin));
    let function = remarks
        .tool
        .as_deref()
        .and_then(|tool| tool.split_once('-'))
        .map_or("", |(_, function)| function)
        .to_owned();
    (!is_nothing).then(|| Reader { function, at, remarks }.value("the result", &markup.pieces))
}

struct Reader<'a> {
    /// The function, as a text about several names it.
    function: String,
    at: usize,
    remarks: &'a mut Remarks,
}

impl Reader<'_> {
    fn value(&mut self, what: &str, pieces: &[Piece]) -> Json {
        let is_list = |piece: &Piece| !items(piece).is_empty();
        match pieces.iter().position(is_list) {
            Some(at) => self.structure(&pieces[..at], &pieces[at], &pieces[at + 1..]),
            None => self.simple(what, &plain::of_pieces(pieces)),
        }
    }

    /// A value without named parts. One of no plain type is the text that R prints, which every value has.
    fn simple(&mut self, what: &str, text: &Plain) -> Json {
        let phrase = said(text, &self.function);
        if phrase.is_none() {
            let message = format!(
                "nothing at the beginning says what {what} is; it is taken as the text that R prints"
            );
            self.remarks.say(
                &GUESSED_TYPE,
                self.at,
                message,
                "begin the text with the type: `Data frame, …`",
            );
        }
        let kind = phrase
            .as_ref()
            .filter(|phrase| !phrase.is_foreign)
            .map_or(ValueType::Text, |phrase| phrase.kind.clone());
        // Where nothing is said of what a vector holds, nothing is known.
        let is_vague = phrase.as_ref().is_some_and(|phrase| phrase.is_vague);
        let items = if is_vague {
            Some(json!({"type": ["string", "number", "boolean"]}))
        } else {
            kind.item_schema()
        };
        let mut schema = Map::new();
        let is_nullable = phrase.as_ref().is_some_and(|phrase| phrase.is_nullable);
        schema.insert(
            "type".to_owned(),
            if is_nullable {
                vec![kind.schema_type(), "null"].into()
            } else {
                kind.schema_type().into()
            },
        );
        schema.extend(kind.schema_format().map(|format| ("format".to_owned(), format.into())));
        let rest = phrase.and_then(|phrase| phrase.rest).unwrap_or(0);
        schema.insert("description".to_owned(), unstopped(&text.text[rest..]).into());
        schema.extend(items.map(|items| ("items".to_owned(), items)));
        Json::Object(schema)
    }

    /// A list, or a data frame, whose parts are described.
    fn structure(&mut self, before: &[Piece], list: &Piece, behind: &[Piece]) -> Json {
        let intro = plain::of_pieces(before);
        let phrase = said(&intro, &self.function);
        let is_rows = phrase.as_ref().is_some_and(|phrase| phrase.kind == ValueType::Rows);
        let parts = items(list).into_iter().map(|(label, text)| {
            let label = plain::of_pieces(label).text;
            let value = self.value(&format!("`{label}` in the result"), text);
            (label, value)
        });
        let object = json!({"type": "object", "properties": parts.collect::<Map<_, _>>()});
        let mut schema = Map::new();
        schema.insert("type".to_owned(), if is_rows { "array" } else { "object" }.into());
        let description =
            about(&intro, phrase.and_then(|phrase| phrase.rest), &plain::of_pieces(behind));
        schema.extend(
            (!description.is_empty()).then(|| ("description".to_owned(), description.into())),
        );
        match is_rows {
            true => schema.insert("items".to_owned(), object),
            false => schema.insert("properties".to_owned(), object["properties"].clone()),
        };
        Json::Object(schema)
    }
}

/// The type that a text plainly says: at its beginning, or behind `returns`. Of two types neither is plain.
fn said(text: &Plain, function: &str) -> Option<TypePhrase> {
    let leading = text.leading_type();
    let phrase = match leading {
        Some(leading) if !leading.is_foreign => Some(leading),
        leading => introduced(text, function).or(leading),
    };
    let is_class = text.text.to_lowercase().contains("object of class");
    phrase.filter(|phrase| {
        !(!phrase.others.is_empty() || is_class && phrase.kind == ValueType::Object)
    })
}

/// `f() always returns a data frame`, in the first sentence, or in a later one about this function.
fn introduced(text: &Plain, function: &str) -> Option<TypePhrase> {
    text.sentences().into_iter().enumerate().find_map(|(index, sentence)| {
        let (subject, phrase) = verb(text, sentence)?;
        let mut calls = subject.iter().filter_map(|word| word.strip_suffix("()")).peekable();
        let is_own = if index == 0 && calls.peek().is_none() {
            true
        } else {
            calls.any(|call| call == function)
        };
        is_own.then_some(phrase)
    })
}

/// The words before `returns` in a sentence, few as they must be, and the type behind it.
fn verb(text: &Plain, sentence: Range<usize>) -> Option<(Vec<&str>, TypePhrase)> {
    let mut subject = Vec::new();
    let mut at = sentence.start;
    for word in text.text[sentence].split_inclusive(char::is_whitespace).take(8) {
        at += word.len();
        let word = word.trim().trim_matches([',', ':', '.']);
        match word.to_lowercase().trim_matches(['(', ')']) {
            "return" | "returns" | "invisibly" | "invisible" => {
                let behind = text.from(at);
                if let Some(phrase) = behind.leading_type() {
                    return Some((subject, TypePhrase { rest: None, ..phrase }));
                }
                // What is returned is something else; another function may return a type.
                if !behind.text.to_lowercase().starts_with("invisib")
                    && word.to_lowercase().starts_with("return")
                {
                    return None;
                }
            }
            "that" | "which" | "if" | "when" => return None,
            _ => subject.push(word),
        }
    }
    None
}

/// What stands around the parts. `A list:` says no more than the schema does.
fn about(intro: &Plain, rest: Option<usize>, behind: &Plain) -> String {
    let intro = intro.text[rest.unwrap_or(0)..].trim().trim_end_matches([':', '.']).trim();
    let says_little =
        intro.split_whitespace().all(|word| LITTLE.contains(&word.to_lowercase().as_str()));
    let parts = [if says_little { "" } else { intro }, behind.text.trim()];
    unstopped(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". "))
}

/// The labelled items of a list.
fn items(piece: &Piece) -> Vec<(&[Piece], &[Piece])> {
    let Piece::Command(name, arguments) = piece else {
        return Vec::new();
    };
    if !["describe", "itemize", "enumerate"].contains(&name.as_str()) {
        return Vec::new();
    }
    let all = arguments.iter().flatten().filter_map(|piece| match piece {
        Piece::Command(name, arguments) if name == "item" => match arguments.as_slice() {
            [label, text] => Some((label.as_slice(), text.as_slice())),
            _ => None,
        },
        _ => None,
    });
    all.collect()
}

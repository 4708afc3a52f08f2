//! `@return` as a schema: the parts of a list by their `\item`s, however deep.

use serde_json::{Map, Value as Json, json};

use super::{
    description::unstopped,
    kind::Kind,
    markup::{self, Piece},
    phrase,
    plain::{self, Plain},
    remarks::Remarks,
};
use crate::rules::roxygen::UNBALANCED;

/// How texts begin that say that there is nothing to return.
const NOTHING: [&str; 7] =
    ["nothing", "none", "no return value", "null, invisibly", "invisible null", "invisibly returns null", "called for"];

/// Words that only say that parts follow.
const LITTLE: [&str; 13] =
    ["a", "an", "named", "list", "with", "containing", "including", "the", "following", "elements", "components", "fields", "of"];

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
    let is_nothing = said.is_empty() || said == "null" || NOTHING.iter().any(|begin| said.starts_with(begin));
    (!is_nothing).then(|| value(&markup.pieces))
}

fn value(pieces: &[Piece]) -> Json {
    let is_list = |piece: &Piece| !items(piece).is_empty();
    match pieces.iter().position(is_list) {
        Some(at) => structure(&pieces[..at], &pieces[at], &pieces[at + 1..]),
        None => simple(&plain::of_pieces(pieces)),
    }
}

/// A value without named parts.
fn simple(text: &Plain) -> Json {
    let phrase = phrase::leading(text);
    let kind = match &phrase {
        Some(phrase) => phrase.kind.clone(),
        None => phrase::anywhere(&text.text).unwrap_or(Kind::Text),
    };
    let mut schema = Map::new();
    let is_nullable = phrase.as_ref().is_some_and(|phrase| phrase.is_nullable);
    schema.insert("type".to_owned(), if is_nullable { vec![kind.word(), "null"].into() } else { kind.word().into() });
    schema.extend(kind.format().map(|format| ("format".to_owned(), format.into())));
    let rest = phrase.and_then(|phrase| phrase.rest).unwrap_or(0);
    schema.insert("description".to_owned(), unstopped(&text.text[rest..]).into());
    schema.extend(kind.items().map(|items| ("items".to_owned(), items)));
    Json::Object(schema)
}

/// A list, or a data frame, whose parts are described.
fn structure(before: &[Piece], list: &Piece, behind: &[Piece]) -> Json {
    let intro = plain::of_pieces(before);
    let phrase = phrase::leading(&intro);
    let is_rows = phrase.as_ref().is_some_and(|phrase| phrase.kind == Kind::Rows);
    let parts: Map<_, _> = items(list).into_iter().map(|(label, text)| (plain::of_pieces(label).text, value(text))).collect();
    let object = json!({"type": "object", "properties": parts});
    let mut schema = Map::new();
    schema.insert("type".to_owned(), if is_rows { "array" } else { "object" }.into());
    let description = about(&intro, phrase.and_then(|phrase| phrase.rest), &plain::of_pieces(behind));
    schema.extend((!description.is_empty()).then(|| ("description".to_owned(), description.into())));
    match is_rows {
        true => schema.insert("items".to_owned(), object),
        false => schema.insert("properties".to_owned(), object["properties"].clone()),
    };
    Json::Object(schema)
}

/// What stands around the parts. `A list:` says no more than the schema does.
fn about(intro: &Plain, rest: Option<usize>, behind: &Plain) -> String {
    let intro = intro.text[rest.unwrap_or(0)..].trim().trim_end_matches([':', '.']).trim();
    let says_little = intro.split_whitespace().all(|word| LITTLE.contains(&word.to_lowercase().as_str()));
    let parts = [if says_little { "" } else { intro }, behind.text.trim()];
    unstopped(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". "))
}

/// The labelled items of a list.
fn items(piece: &Piece) -> Vec<(&[Piece], &[Piece])> {
    let Piece::Command(name, arguments) = piece else { return Vec::new() };
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

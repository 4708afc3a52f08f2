//! Compiles `@return` to a schema: a type, or the named parts that it lists, nested to any depth.

mod parts;

use formats::type_phrase::{TypePhrase, ValueType};
use serde_json::{Map, Value as Json, json};

use self::parts::{PartList, find_parts};
use super::{
    description::strip_period,
    markup::{self, Piece},
    plain_text::{self, PlainText},
    reporter::Reporter,
};
use crate::rules::{GUESSED_TYPE, UNBALANCED};

/// Texts that say that a function returns nothing. "No return value, called for side effects" is
/// the wording that CRAN asks for.
const NOTHING: [&str; 4] = ["nothing", "none", "no return value", "called for"];

/// Words of an introduction that only announces parts: `A list with the following elements:`.
const ANNOUNCEMENT: [&str; 13] = [
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

/// The schema of the result, or `None` if the function returns nothing.
pub(crate) fn compile_returns(text: &str, offset: usize, reporter: &mut Reporter) -> Option<Json> {
    let markup = markup::parse(text);
    if markup.is_unbalanced {
        let message = "a brace in the text of `@return` is never closed; the rest of it is lost";
        reporter.report(&UNBALANCED, offset, message, "close it with `}`");
    }
    if returns_nothing(&plain_text::render(&markup.pieces).text) {
        return None;
    }
    Some(ReturnCompiler { offset, reporter }.compile("the result", &markup.pieces))
}

fn returns_nothing(text: &str) -> bool {
    let text = text.to_lowercase();
    let text = strip_invisible(&text);
    // `NULL` is nothing, but `NULL or a list` is not.
    let is_null = text
        .strip_prefix("null")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ',', ';']));
    text.is_empty() || is_null || NOTHING.iter().any(|start| text.starts_with(start))
}

/// Text without an introductory `Invisibly` or `Returns`, in lower or upper case.
fn strip_invisible(text: &str) -> &str {
    let body = text.trim_start_matches(['(', ' ']);
    let word = body.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    match word.to_lowercase().as_str() {
        "invisibly" | "invisible" | "return" | "returns" => {
            strip_invisible(body[word.len()..].trim_start_matches([')', ',', ':', ' ']))
        }
        _ => text,
    }
}

struct ReturnCompiler<'a> {
    offset: usize,
    reporter: &'a mut Reporter,
}

impl ReturnCompiler<'_> {
    /// Compiles the schema of `subject`, which problems name.
    fn compile(&mut self, subject: &str, pieces: &[Piece]) -> Json {
        match find_parts(pieces) {
            Some(list) => self.compile_parts(list),
            None => self.compile_value(subject, &plain_text::render(pieces)),
        }
    }

    /// A value without named parts. If its type is not stated, the schema is a string: the runtime
    /// then returns what R prints, which every value has.
    fn compile_value(&mut self, subject: &str, text: &PlainText) -> Json {
        let phrase = parse_type(text);
        if phrase.is_none() {
            let message = format!(
                "the text of {subject} does not begin with a type; it is assumed to be the text that R prints"
            );
            let hint = "begin the text with the type: `Data frame, …`";
            self.reporter.report(&GUESSED_TYPE, self.offset, message, hint);
        }
        // Environments and functions are returned as R prints them.
        let phrase = phrase.filter(|phrase| !phrase.is_foreign);
        let value_type =
            phrase.as_ref().map_or(ValueType::Text, |phrase| phrase.value_type.clone());
        let items = if phrase.as_ref().is_some_and(|phrase| phrase.has_unknown_items) {
            // `Vector` without a type: any scalar, but no nested value.
            Some(json!({"type": ["string", "number", "boolean"]}))
        } else {
            value_type.item_schema()
        };
        let name = value_type.schema_type();
        let is_nullable = phrase.as_ref().is_some_and(|phrase| phrase.is_nullable);
        let start = phrase.and_then(|phrase| phrase.rest).unwrap_or(0);
        let mut schema = Map::new();
        schema.insert(
            "type".to_owned(),
            if is_nullable { vec![name, "null"].into() } else { name.into() },
        );
        schema
            .extend(value_type.schema_format().map(|format| ("format".to_owned(), format.into())));
        schema.insert("description".to_owned(), strip_period(&text.text[start..]).into());
        schema.extend(items.map(|items| ("items".to_owned(), items)));
        Json::Object(schema)
    }

    /// Compiles a list with described parts, a list of such lists, or a data frame with described
    /// columns.
    fn compile_parts(&mut self, list: PartList) -> Json {
        let intro = plain_text::render(&list.before);
        let phrase = parse_type(&intro);
        let has_records =
            phrase.as_ref().is_some_and(|phrase| phrase.value_type == ValueType::Rows)
                || announces_records(&intro.text);
        let is_nullable = phrase.as_ref().is_some_and(|phrase| phrase.is_nullable);
        let parts = list.parts.into_iter().map(|part| {
            let schema = self.compile(&format!("`{}` in the result", part.label), &part.text);
            (part.label, schema)
        });
        let properties = Json::Object(parts.collect::<Map<_, _>>());
        let start = phrase.and_then(|phrase| phrase.rest).unwrap_or(0);
        let description = describe(&intro.text[start..], &plain_text::render(&list.after));
        let mut schema = Map::new();
        let name = if has_records { "array" } else { "object" };
        schema.insert(
            "type".to_owned(),
            if is_nullable { vec![name, "null"].into() } else { name.into() },
        );
        if !description.is_empty() {
            schema.insert("description".to_owned(), description.into());
        }
        if has_records {
            schema.insert("items".to_owned(), json!({"type": "object", "properties": properties}));
        } else {
            schema.insert("properties".to_owned(), properties);
        }
        Json::Object(schema)
    }
}

/// Whether the parts describe every element of a list: `List of surfaces, each containing:`, `A
/// list of named lists with`. After `List of the following elements`, they are the elements.
fn announces_records(intro: &str) -> bool {
    let text = intro.to_lowercase();
    let words: Vec<_> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_list = |word: &str| matches!(word, "list" | "vector" | "array");
    let Some(at) = words.windows(2).position(|pair| is_list(pair[0]) && pair[1] == "of") else {
        return false;
    };
    let mut after = words[at + 2..].iter().copied().skip_while(|word| *word == "named").peekable();
    let has_plural =
        after.peek().is_some_and(|word| matches!(*word, "lists" | "records" | "objects" | "rows"));
    let is_announcement = words.contains(&"following") && !words.contains(&"each");
    has_plural || !is_announcement && after.any(|word| matches!(word, "each" | "every"))
}

/// The type at the beginning, also after `Returns` or `Invisibly`. With two types, neither counts:
/// unlike an argument, a result cannot be made to fit the first.
fn parse_type(text: &PlainText) -> Option<TypePhrase> {
    let start = text.text.len() - strip_invisible(&text.text).len();
    let phrase = text.slice_from(start).leading_type()?;
    // If `Invisibly` was skipped, the offset would be that of the shortened text.
    let rest = phrase.rest.filter(|_| start == 0);
    Some(TypePhrase { rest, ..phrase }).filter(|phrase| !phrase.has_alternative)
}

/// The text around the parts, without an introduction that says no more than the schema.
fn describe(intro: &str, after: &PlainText) -> String {
    let intro = intro.trim().trim_end_matches([':', '.']).trim();
    let is_announcement =
        intro.split_whitespace().all(|word| ANNOUNCEMENT.contains(&word.to_lowercase().as_str()));
    let parts = [if is_announcement { "" } else { intro }, after.text.trim()];
    strip_period(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". "))
}

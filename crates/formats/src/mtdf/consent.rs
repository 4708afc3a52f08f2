//! The field `consent`: a word that a caller must say before the tool runs.

use catalog::Consent;
use serde_json::{Map, Value as Json, json};

use super::rules::definition::CONTRADICTION;
use crate::{
    object::{KnownFields, Object},
    report::Report,
    rules::definition::BAD_NAME,
};

const KNOWN: KnownFields =
    KnownFields { groups: &[&["parameter", "word"]], critical: &["parameter", "word"] };

/// A consent as a definition declares it.
pub(crate) struct Declared {
    consent: Consent,
    /// The JSON pointer to the declaration.
    pointer: String,
}

/// Reads a declaration.
pub(crate) fn read(object: &Object<'_, '_>, report: &mut Report) -> Option<Declared> {
    object.check_known(&KNOWN, report);
    let (parameter, word) = (object.required("parameter", report), object.required("word", report));
    let (parameter, word) = (parameter?, word?);
    if parameter.chars().any(|c| c.is_whitespace() || c.is_control()) {
        let message = format!("`{}` is not a name for a parameter", parameter.escape_debug());
        let problem = report.at_value(&BAD_NAME, &object.at.key("parameter"), message);
        report.push(problem.expected("text without blanks").received(parameter));
    }
    let consent = Consent { parameter: parameter.to_owned(), word: word.to_owned() };
    Some(Declared { consent, pointer: object.at.pointer() })
}

/// Makes the word an argument that must be there: the declared one, else one that the schema has by
/// itself. An error if the schema does not let it be said.
pub(crate) fn require(
    schema: &mut Map<String, Json>,
    declared: Option<&Declared>,
    report: &mut Report,
) -> Option<Consent> {
    let consent = match declared {
        None => Consent::find(schema)?,
        Some(declared) => {
            let properties = schema.entry("properties").or_insert_with(|| json!({}));
            if !declared.put_into(properties) {
                let Consent { parameter, word } = &declared.consent;
                let message = format!("`{parameter}` is a parameter that cannot be `{word}`");
                let problem = report.at_pointer(&CONTRADICTION, declared.pointer.clone(), message);
                report.push(problem.hint("name another parameter, or let this one be that text"));
                return None;
            }
            declared.consent.clone()
        }
    };
    let required = schema.entry("required").or_insert_with(|| json!([]));
    if let Json::Array(names) = required
        && !names.iter().any(|name| *name == consent.parameter)
    {
        names.push(consent.parameter.as_str().into());
    }
    Some(consent)
}

impl Declared {
    /// Adds the parameter, or narrows one of that name to the word; false if that is not possible.
    fn put_into(&self, properties: &mut Json) -> bool {
        let Consent { parameter, word } = &self.consent;
        let described = json!({"type": "string", "description": format!("`{word}`, only if the user has asked for exactly this")});
        let Some(properties) = properties.as_object_mut() else {
            return false;
        };
        let Json::Object(property) = properties.entry(parameter).or_insert(described) else {
            return false;
        };
        let is_text = property.get("type").is_none_or(|kind| kind == "string");
        let others = property.get("const").is_some_and(|only| only != word)
            || property
                .get("enum")
                .and_then(Json::as_array)
                .is_some_and(|words| !words.contains(&word.as_str().into()));
        property.remove("enum");
        property.remove("default");
        property.insert("const".to_owned(), word.as_str().into());
        is_text && !others
    }
}

//! The field `consent`: a word that a caller must pass for the tool to run, such as `delete`.

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

/// A consent and the location of its declaration.
pub(crate) struct ConsentDeclaration {
    consent: Consent,
    /// The JSON pointer to the declaration.
    pointer: String,
}

/// Reads a declaration.
pub(crate) fn read(object: &Object<'_, '_>, report: &mut Report) -> Option<ConsentDeclaration> {
    object.check_known(&KNOWN, report);
    let (parameter, word) = (object.required("parameter", report), object.required("word", report));
    let (parameter, word) = (parameter?, word?);
    if parameter.chars().any(|c| c.is_whitespace() || c.is_control()) {
        let message = format!("`{}` is not a valid parameter name", parameter.escape_debug());
        let problem = report.at_value(&BAD_NAME, &object.at.key("parameter"), message);
        report.push(problem.with_expected("text without whitespace").with_received(parameter));
    }
    let consent = Consent { parameter: parameter.to_owned(), word: word.to_owned() };
    Some(ConsentDeclaration { consent, pointer: object.at.pointer() })
}

/// Makes the consent word a required argument, either as declared or as the schema itself defines
/// it. Reports an error if the schema does not allow the word.
pub(crate) fn require(
    schema: &mut Map<String, Json>,
    declared: Option<&ConsentDeclaration>,
    report: &mut Report,
) -> Option<Consent> {
    let consent = match declared {
        None => Consent::find(schema)?,
        Some(declared) => {
            let properties = schema.entry("properties").or_insert_with(|| json!({}));
            if !declared.add_to(properties) {
                let Consent { parameter, word } = &declared.consent;
                let message = format!("`{parameter}` is a parameter that does not allow `{word}`");
                let problem = report.at_pointer(&CONTRADICTION, declared.pointer.clone(), message);
                report.push(problem.hint("name another parameter, or allow the word in this one"));
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

impl ConsentDeclaration {
    /// Adds the parameter, or restricts an existing one to the word; false if that is not possible.
    fn add_to(&self, properties: &mut Json) -> bool {
        let Consent { parameter, word } = &self.consent;
        let added = json!({"type": "string", "description": format!("`{word}`, only if the user has asked for exactly this")});
        let Some(properties) = properties.as_object_mut() else {
            return false;
        };
        let Json::Object(property) = properties.entry(parameter).or_insert(added) else {
            return false;
        };
        let is_string = property.get("type").is_none_or(|name| name == "string");
        let excludes_word = property.get("const").is_some_and(|only| only != word)
            || property
                .get("enum")
                .and_then(Json::as_array)
                .is_some_and(|words| !words.contains(&word.as_str().into()));
        // A default would give consent on behalf of the caller.
        property.remove("default");
        property.remove("enum");
        property.insert("const".to_owned(), word.as_str().into());
        is_string && !excludes_word
    }
}

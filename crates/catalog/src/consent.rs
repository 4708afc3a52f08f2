//! Consent words: an argument that accepts exactly one text.
//!
//! A consent word makes an unintended call unlikely. It does not replace approval, because a model
//! can write any word.

use serde_json::{Map, Value};

/// Words in a parameter name that mark its single value as consent.
const NAMES: [&str; 8] = [
    "consent",
    "confirm",
    "confirmation",
    "confirmed",
    "explicit",
    "acknowledge",
    "acknowledgement",
    "acknowledgment",
];

/// A parameter and the word it requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consent {
    /// The name of the parameter that must have the word.
    pub parameter: String,
    /// The exact word.
    pub word: String,
}

impl Consent {
    /// Finds the first parameter that is marked (`x-consent`) or named for consent and accepts
    /// exactly one text.
    pub fn find(schema: &Map<String, Value>) -> Option<Self> {
        let properties = schema.get("properties")?.as_object()?;
        properties
            .iter()
            .filter(|(name, property)| is_marked(property) || is_consent_name(name))
            .find_map(|(name, property)| {
                let word = single_text(property)?;
                Some(Self { parameter: name.clone(), word: word.to_owned() })
            })
    }
}

fn is_marked(property: &Value) -> bool {
    property.get("x-consent") == Some(&Value::Bool(true))
}

fn is_consent_name(name: &str) -> bool {
    name.split(['_', '-', '.'])
        .any(|part| NAMES.iter().any(|known| part.eq_ignore_ascii_case(known)))
}

/// The single text that a schema accepts, by `const` or by an `enum` with one value.
fn single_text(property: &Value) -> Option<&str> {
    let word = match (property.get("const"), property.get("enum").and_then(Value::as_array)) {
        (Some(word), _) => word.as_str(),
        (None, Some(words)) if words.len() == 1 => words[0].as_str(),
        _ => None,
    };
    word.filter(|word| !word.is_empty())
}

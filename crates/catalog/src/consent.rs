//! A word that a caller must say: an argument that admits one text only.
//!
//! It makes a call without thought unlikely and is no approval: a model can say any word.

use serde_json::{Map, Value};

/// Words in the name of a parameter that say that its one value is an agreement.
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

/// The parameter and the word that it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consent {
    /// The parameter.
    pub parameter: String,
    /// The exact word.
    pub word: String,
}

impl Consent {
    /// The first parameter that is marked (`x-consent`) or named for an agreement and admits one text only.
    pub fn find(schema: &Map<String, Value>) -> Option<Self> {
        let properties = schema.get("properties")?.as_object()?;
        properties
            .iter()
            .filter(|(name, property)| is_marked(property) || is_agreement(name))
            .find_map(|(name, property)| {
                let word = only_text(property)?;
                Some(Self { parameter: name.clone(), word: word.to_owned() })
            })
    }
}

fn is_marked(property: &Value) -> bool {
    property.get("x-consent") == Some(&Value::Bool(true))
}

fn is_agreement(name: &str) -> bool {
    name.split(['_', '-', '.'])
        .any(|part| NAMES.iter().any(|known| part.eq_ignore_ascii_case(known)))
}

/// The one text that a schema admits, by `const` or by an `enum` of one.
fn only_text(property: &Value) -> Option<&str> {
    let word = match (property.get("const"), property.get("enum").and_then(Value::as_array)) {
        (Some(word), _) => word.as_str(),
        (None, Some(words)) if words.len() == 1 => words[0].as_str(),
        _ => None,
    };
    word.filter(|word| !word.is_empty())
}

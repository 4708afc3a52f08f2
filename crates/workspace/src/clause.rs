//! One element of a list in `toolcrib.toml`, parsed on its own so that an invalid one does not
//! disable the others.

use catalog::{Diagnostic, Origin, Rule, Severity, SourceId};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};

/// A `toolcrib.toml` that cannot be used.
pub(crate) static BROKEN_CONFIG: Rule = Rule {
    code: "TC601",
    name: "broken-config",
    severity: Severity::Error,
    why: "The configuration decides which folders tools may touch and how they are sandboxed, so an invalid file is \
          never used in part: `serve` does not start with it, and a running server keeps its current configuration. \
          `toolcrib schema config` prints the valid keys.",
    bad: "[crib]\nnames = \"my-crib\"\n",
    good: "[crib]\nname = \"my-crib\"\n",
};

/// A clause of the configuration.
#[derive(Clone, Debug)]
pub enum Clause<T> {
    /// The parsed clause.
    Valid(T),
    /// Could not be parsed, for this reason.
    Invalid(String),
}

impl<T> Clause<T> {
    /// The parsed clause, unless it is invalid.
    pub fn valid(&self) -> Option<&T> {
        match self {
            Self::Valid(clause) => Some(clause),
            Self::Invalid(_) => None,
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Clause<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Parsed to a plain value first: an error of the element then concerns only this element.
        let value = toml::Value::deserialize(deserializer)?;
        Ok(T::deserialize(value).map_or_else(
            |error| Self::Invalid(error.to_string().trim().replace('\n', " ")),
            Self::Valid,
        ))
    }
}

/// The diagnostic for text that cannot be parsed, at the offset `start`.
pub(crate) fn report_broken_config(source: &SourceId, start: usize, message: String) -> Diagnostic {
    Diagnostic::new(&BROKEN_CONFIG, Origin::offset(source, start), message)
        .hint("`toolcrib schema config` prints the valid keys")
}

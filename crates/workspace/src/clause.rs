//! One element of a list in `toolcrib.toml` that is read by itself, so that a mistake in it leaves the others as they are.

use serde::{Deserialize, Deserializer, de::DeserializeOwned};

/// What was written, or why it cannot be read.
#[derive(Clone, Debug)]
pub enum Clause<T> {
    /// As it should be.
    Read(T),
    /// Not; the reason.
    Unread(String),
}

impl<T> Clause<T> {
    /// What was written, if it could be read.
    pub fn read(&self) -> Option<&T> {
        match self {
            Self::Read(clause) => Some(clause),
            Self::Unread(_) => None,
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Clause<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = toml::Value::deserialize(deserializer)?;
        Ok(T::deserialize(value).map_or_else(
            |error| Self::Unread(error.to_string().trim().replace('\n', " ")),
            Self::Read,
        ))
    }
}

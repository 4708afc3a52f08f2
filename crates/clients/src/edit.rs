//! Edits of a client's file that change one entry and keep the rest as it is: comments, order and
//! formatting.

mod json;
mod toml;
mod yaml;

use serde_json::Value;

/// The syntax of a client's file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Syntax {
    Json(JsonDialect),
    Toml,
    Yaml,
}

/// What a client accepts beyond JSON. A file that the client itself cannot read is not edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonDialect {
    Strict,
    Comments,
    /// Comments and trailing commas.
    Relaxed,
}

/// Some Windows editors start files with this character.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads and edits the files of one client.
#[derive(Clone, Copy, Debug)]
pub struct Editor {
    pub(crate) syntax: Syntax,
    /// The key of the servers.
    pub(crate) servers: &'static str,
}

/// Why a file is not edited.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EditError {
    /// It has a syntax error, so the client cannot read it either.
    #[error("it is broken: {0}")]
    Broken(String),
    /// The value of the key for servers is not a table.
    #[error("`{0}` is not a table of servers")]
    NotATable(String),
    /// The value of a key is not an array.
    #[error("`{0}` is not an array")]
    NotAList(String),
    /// It is valid, but written in a way that cannot be edited without changing the rest.
    #[error("`{0}` is written in a form that cannot be edited without changing the rest of it")]
    Unsupported(String),
}

impl Editor {
    /// The entry of a server, if there is one.
    pub fn entry(&self, text: &str, name: &str) -> Result<Option<Value>, EditError> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        match self.syntax {
            Syntax::Json(dialect) => json::entry(text, dialect, self.servers, name),
            Syntax::Toml => toml::entry(text, self.servers, name),
            Syntax::Yaml => yaml::entry(text, self.servers, name),
        }
    }

    /// The text with the entry of a server, added or replaced.
    pub fn insert(&self, text: &str, name: &str, entry: &Value) -> Result<String, EditError> {
        if let Some(text) = text.strip_prefix(BYTE_ORDER_MARK) {
            return Ok(format!("{BYTE_ORDER_MARK}{}", self.insert(text, name, entry)?));
        }
        // Connecting again must not change a byte of the file.
        if self.entry(text, name)?.as_ref() == Some(entry) {
            return Ok(text.to_owned());
        }
        match self.syntax {
            Syntax::Json(dialect) => json::insert(text, dialect, self.servers, name, entry),
            Syntax::Toml => toml::insert(text, self.servers, name, entry),
            Syntax::Yaml => yaml::insert(text, self.servers, name, entry),
        }
    }

    /// The text without the entry of a server.
    pub fn remove(&self, text: &str, name: &str) -> Result<String, EditError> {
        if let Some(text) = text.strip_prefix(BYTE_ORDER_MARK) {
            return Ok(format!("{BYTE_ORDER_MARK}{}", self.remove(text, name)?));
        }
        if self.entry(text, name)?.is_none() {
            return Ok(text.to_owned());
        }
        match self.syntax {
            Syntax::Json(dialect) => json::remove(text, dialect, self.servers, name),
            Syntax::Toml => toml::remove(text, self.servers, name),
            Syntax::Yaml => yaml::remove(text, self.servers, name),
        }
    }
}

/// Adds an association of a JSON Schema to the settings of VS Code, unless they have it.
pub fn add_json_schema(settings: &str, association: &Value) -> Result<String, EditError> {
    if let Some(settings) = settings.strip_prefix(BYTE_ORDER_MARK) {
        return Ok(format!("{BYTE_ORDER_MARK}{}", add_json_schema(settings, association)?));
    }
    json::add_item(settings, "json.schemas", association)
}

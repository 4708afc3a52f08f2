//! The prefix of a native tool's name. Documentation uses bare names; the prefix is added when
//! tools are served.

use catalog::name;

/// How the served name of a native tool is formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// The bare name, always.
    Bare,
    /// The server's prefix, or this default if none is configured.
    Prefixed(&'static str),
    /// This prefix, whatever the server's prefix is. If it is empty, the bare name.
    Own(&'static str),
}

/// The prefix that a server is configured with. Unset, the default, differs from empty:
/// [`Naming::Prefixed`] tools then use their own default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefix(Option<String>);

/// A prefix that is not valid in a tool name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPrefix {
    /// The prefix as it was given.
    pub prefix: String,
    /// Why it is invalid.
    pub problem: name::NameError,
}

impl Prefix {
    /// No prefix is configured.
    pub fn unset() -> Self {
        Self(None)
    }

    /// Parses a configured prefix. The `_` after it is added, and is ignored if it is given. An
    /// empty text means that names have no prefix.
    pub fn parse(text: &str) -> Result<Self, BadPrefix> {
        let prefix = text.trim_end_matches('_');
        match name::check(prefix) {
            // Empty is a choice, unlike unset: it removes the default prefix.
            Ok(()) | Err(name::NameError::Empty) => Ok(Self(Some(prefix.to_owned()))),
            Err(problem) => Err(BadPrefix { prefix: text.to_owned(), problem }),
        }
    }

    /// The served name of a tool.
    pub fn apply(&self, naming: Naming, bare: &str) -> String {
        let prefix = match (naming, &self.0) {
            (Naming::Bare, _) => "",
            (Naming::Own(own), _) => own,
            (Naming::Prefixed(_), Some(configured)) => configured,
            (Naming::Prefixed(default), None) => default,
        };
        if prefix.is_empty() { bare.to_owned() } else { format!("{prefix}_{bare}") }
    }
}

impl std::fmt::Display for BadPrefix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is not a valid prefix for tool names: {}", self.prefix, self.problem)
    }
}

impl std::error::Error for BadPrefix {}

//! What stands before the name of a native tool. Documentation never says it: names are written
//! bare, and the prefix is put on when tools are served.

use catalog::name;

use crate::Native;

/// How a native tool is named when it is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Always by its bare name.
    Bare,
    /// With the prefix that was set; if none was, with this one.
    Prefixed(&'static str),
    /// With a prefix of its own, whatever was set. An empty one is none.
    Own(&'static str),
}

/// The prefix that a server was told to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefix(Option<String>);

/// A prefix that cannot stand in a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPrefix {
    /// The prefix.
    pub prefix: String,
    /// What is wrong with it.
    pub problem: name::NameError,
}

impl Prefix {
    /// Nobody said anything: each tool has its usual prefix.
    pub fn unset() -> Self {
        Self(None)
    }

    /// A prefix that somebody set; an empty one means none. The `_` after it is added, and may be given.
    pub fn parse(text: &str) -> Result<Self, BadPrefix> {
        let prefix = text.trim_end_matches('_');
        match name::check(prefix) {
            Ok(()) | Err(name::NameError::Empty) => Ok(Self(Some(prefix.to_owned()))),
            Err(problem) => Err(BadPrefix { prefix: text.to_owned(), problem }),
        }
    }

    /// The served name of a tool.
    pub fn apply(&self, naming: Naming, bare: &str) -> String {
        let prefix = match (naming, &self.0) {
            (Naming::Bare, _) => "",
            (Naming::Own(own), _) => own,
            (Naming::Prefixed(_), Some(set)) => set,
            (Naming::Prefixed(usual), None) => usual,
        };
        if prefix.is_empty() { bare.to_owned() } else { format!("{prefix}_{bare}") }
    }
}

impl Native {
    /// Puts the prefix on.
    pub(crate) fn named(mut self, prefix: &Prefix) -> Self {
        let bare = self.tool.bare_name().to_owned();
        let served = prefix.apply(self.naming, &bare);
        if served != bare {
            self.tool.bare_name = Some(bare);
            self.tool.name = served;
        }
        self
    }
}

impl std::fmt::Display for BadPrefix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` cannot stand before the name of a tool: {}", self.prefix, self.problem)
    }
}

impl std::error::Error for BadPrefix {}

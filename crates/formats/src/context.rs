//! The context of a reader, besides the file itself: shared guidance and linked files.

use std::collections::HashMap;

/// Returns the text of a file that a definition links to, or why it cannot be read.
pub type ReadLink<'l> = &'l dyn Fn(&str) -> Result<String, String>;

/// The context that a reader may use while it reads one file.
pub(crate) struct Context<'c> {
    pub(crate) guidance: &'c Guidance,
    pub(crate) linked: ReadLink<'c>,
}

/// The texts of guidance files, by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guidance {
    texts: HashMap<String, String>,
}

impl Guidance {
    /// The text that a `guidance_key` names.
    pub fn lookup(&self, key: &str) -> Option<&str> {
        self.texts.get(key).map(String::as_str)
    }

    /// The keys, in no particular order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// Adds the texts of another file; on a conflict the text that is already present wins.
    pub fn merge(&mut self, other: Self) {
        for (key, text) in other.texts {
            self.texts.entry(key).or_insert(text);
        }
    }

    /// Adds one text unless the key is taken.
    pub(crate) fn add(&mut self, key: &str, text: &str) {
        self.texts.entry(key.to_owned()).or_insert_with(|| text.to_owned());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

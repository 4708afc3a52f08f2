//! Categories and collections, the names in a content expression.

use std::path::PathBuf;

use crate::{Expression, Pattern};

/// A folder of documents.
#[derive(Clone, Debug)]
pub struct Category {
    /// The name in expressions.
    pub name: String,
    /// The folder of its documents.
    pub folder: PathBuf,
    /// The documents it selects if an expression has no patterns for it.
    pub patterns: Vec<Pattern>,
    /// The topic, shown to models that choose a category.
    pub description: Option<String>,
    /// Whether a model may follow instructions in its documents; otherwise they are only
    /// information.
    pub instruct: bool,
}

/// Documents of several categories under one name.
#[derive(Clone, Debug)]
pub struct Collection {
    /// The name in expressions.
    pub name: String,
    /// The documents in it.
    pub items: Expression,
    /// The topic, shown to models that choose a collection.
    pub description: Option<String>,
}

//! What documents are found by: categories, which are folders, and collections, which are lists of expressions.

use std::path::PathBuf;

use crate::{Expression, Pattern};

/// A folder of documents.
#[derive(Clone, Debug)]
pub struct Category {
    /// Its name.
    pub name: String,
    /// Where its documents are.
    pub folder: PathBuf,
    /// What it gives when nobody says what is wanted of it.
    pub patterns: Vec<Pattern>,
    /// What it is about.
    pub description: Option<String>,
    /// Whether its documents may tell a model what to do.
    pub instruct: bool,
}

/// Documents of several categories under one name.
#[derive(Clone, Debug)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// What belongs to it, in order.
    pub items: Expression,
    /// What it is about.
    pub description: Option<String>,
}

//! What there is to find: categories and collections, as plain data, and the way to ask.

use std::path::PathBuf;

use formats::{Expression, ExpressionError, Pattern};
use toolkit::Context;

use super::{gather::Gathering, render::Answer};
use crate::Project;

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

/// How much one answer may hold. What is left out is said.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many documents.
    pub documents: usize,
    /// How many bytes of text.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { documents: 500, bytes: 1 << 20 }
    }
}

/// What there is to find.
#[derive(Clone)]
pub struct Library {
    pub(super) categories: Vec<Category>,
    pub(super) collections: Vec<Collection>,
    pub(super) project: Project,
    pub(super) limits: Limits,
}

impl Library {
    /// A library of these categories and collections, whose names differ.
    pub fn new(categories: Vec<Category>, collections: Vec<Collection>, project: Project) -> Self {
        Self { categories, collections, project, limits: Limits::default() }
    }

    /// The same library with other limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Finds what an expression asks for, with the patterns of the two-argument form if there are any.
    pub fn find(&self, expression: &str, patterns: Option<&str>, context: &Context) -> Result<Answer, ExpressionError> {
        let expression = Expression::parse(expression)?;
        let expression = match patterns {
            Some(patterns) => expression.with_patterns(patterns)?,
            None => expression,
        };
        Ok(self.gather(&expression, context))
    }

    pub(super) fn gather(&self, expression: &Expression, context: &Context) -> Answer {
        Gathering::new(self, context).answer(expression)
    }

    /// The document at exactly this path, if there is a file.
    pub(super) fn exactly(&self, category: &str, path: &str, context: &Context) -> Option<Answer> {
        Gathering::new(self, context).exactly(self.category(category)?, path)
    }

    pub(super) fn category(&self, name: &str) -> Option<&Category> {
        self.categories.iter().find(|category| category.name == name)
    }

    pub(super) fn collection(&self, name: &str) -> Option<&Collection> {
        self.collections.iter().find(|collection| collection.name == name)
    }

    /// The names of all categories and collections.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let categories = self.categories.iter().map(|category| category.name.as_str());
        categories.chain(self.collections.iter().map(|collection| collection.name.as_str()))
    }
}

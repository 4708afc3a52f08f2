//! What there is to find, as plain data, and the way to ask.

use formats::{Category, Collection, Expression, ExpressionError, Pattern, Sense, Term};
use toolkit::Context;

use super::{reply::ContentReply, search::Search};
use crate::Project;

/// How many patterns an expression may have; a term without any counts as one.
const MOST_PATTERNS: usize = 500;

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
pub struct GuideContent {
    pub(super) categories: Vec<Category>,
    pub(super) collections: Vec<Collection>,
    pub(super) project: Project,
    pub(super) limits: Limits,
}

impl GuideContent {
    /// A content of these categories and collections, whose names differ.
    pub fn new(categories: Vec<Category>, collections: Vec<Collection>, project: Project) -> Self {
        Self { categories, collections, project, limits: Limits::default() }
    }

    /// The same content with other limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Finds what an expression asks for, with the patterns of the two-argument form if there are any.
    pub fn find(
        &self,
        expression: &str,
        patterns: Option<&str>,
        context: &Context,
    ) -> Result<ContentReply, ExpressionError> {
        let expression = Expression::parse(expression)?;
        let expression = match patterns {
            Some(patterns) => expression.with_patterns(patterns)?,
            None => expression,
        };
        check_length(&expression)?;
        Ok(self.search(&expression, context))
    }

    pub(super) fn search(&self, expression: &Expression, context: &Context) -> ContentReply {
        Search::new(self, context).answer(expression)
    }

    /// What is found at this path: whole, however long, since it was asked for by its address.
    pub(super) fn at(&self, name: &str, path: &str, context: &Context) -> ContentReply {
        let search =
            || Search::new(self, context).within(Limits { bytes: usize::MAX, ..self.limits });
        let exact = self.category(name).and_then(|category| search().exactly(category, path));
        exact.unwrap_or_else(|| {
            let term = Term {
                sense: Sense::Wanted,
                name: name.to_owned(),
                patterns: vec![Pattern::literal(path)],
            };
            search().answer(&Expression { terms: vec![term] })
        })
    }

    /// All that a category or collection gives.
    pub(super) fn whole(&self, name: &str, context: &Context) -> ContentReply {
        let term = Term { sense: Sense::Wanted, name: name.to_owned(), patterns: Vec::new() };
        self.search(&Expression { terms: vec![term] }, context)
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

fn check_length(expression: &Expression) -> Result<(), ExpressionError> {
    let patterns: usize = expression.terms.iter().map(|term| term.patterns.len().max(1)).sum();
    match patterns > MOST_PATTERNS {
        true => Err(ExpressionError {
            span: 0..0,
            message: format!(
                "the expression has {patterns} patterns, and may have {MOST_PATTERNS}"
            ),
            hint: "ask several times, or with globs",
        }),
        false => Ok(()),
    }
}

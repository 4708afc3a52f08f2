//! Guide content: categories, collections, and how to search them.

use std::{collections::HashMap, io, sync::Arc};

use formats::{Category, Collection, Expression, ExpressionError, Pattern, Selection, Term};
use toolkit::Context;

use super::{category_dir::CategoryDir, reply::ContentReply, search::Search};
use crate::{Project, open_dir::Folder};

/// Patterns in an expression; a term without a pattern counts as one.
const MAX_PATTERNS: usize = 500;

/// Limits of one response. It reports what was left out.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of documents.
    pub documents: usize,
    /// Maximum size of their texts, in bytes.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { documents: 500, bytes: 1 << 20 }
    }
}

/// The categories and collections of a crib.
#[derive(Clone)]
pub struct GuideContent {
    pub(super) categories: Vec<Category>,
    pub(super) collections: Vec<Collection>,
    pub(super) project: Project,
    pub(super) limits: Limits,
    /// The folders of the categories, by name.
    folders: Arc<HashMap<String, Folder>>,
}

impl GuideContent {
    /// Creates content from categories and collections with unique names, and opens the folders of
    /// the categories, whose paths have no links.
    pub fn new(categories: Vec<Category>, collections: Vec<Collection>, project: Project) -> Self {
        let open =
            |category: &Category| (category.name.clone(), Folder::new(category.folder.clone()));
        let folders = Arc::new(categories.iter().map(open).collect());
        Self { categories, collections, project, limits: Limits::default(), folders }
    }

    /// Changes the limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Reads the documents that an expression selects. `patterns` is the second argument of the
    /// two-argument form.
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
        // Checked after the two forms are combined, because that multiplies patterns.
        check_length(&expression)?;
        Ok(self.search(&expression, context))
    }

    pub(super) fn search(&self, expression: &Expression, context: &Context) -> ContentReply {
        Search::new(self, context).run(expression)
    }

    /// Reads the document at a path. Not limited in size, because it was requested by its URI.
    pub(super) fn read_path(&self, name: &str, path: &str, context: &Context) -> ContentReply {
        let search =
            || Search::new(self, context).with_limits(Limits { bytes: usize::MAX, ..self.limits });
        // The exact path first: a file name may contain characters that a pattern would interpret.
        let exact = self.category(name).and_then(|category| search().read_exact(category, path));
        exact.unwrap_or_else(|| {
            let term = Term {
                selection: Selection::Include,
                name: name.to_owned(),
                patterns: vec![Pattern::literal(path)],
            };
            search().run(&Expression { terms: vec![term] })
        })
    }

    /// Reads everything in a category or collection.
    pub(super) fn read_all(&self, name: &str, context: &Context) -> ContentReply {
        let term =
            Term { selection: Selection::Include, name: name.to_owned(), patterns: Vec::new() };
        self.search(&Expression { terms: vec![term] }, context)
    }

    pub(super) fn open_folder(&self, category: &Category) -> io::Result<CategoryDir> {
        let folder = self.folders.get(&category.name).ok_or(io::ErrorKind::NotFound)?;
        CategoryDir::open(folder)
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
    if patterns > MAX_PATTERNS {
        return Err(ExpressionError {
            span: 0..0,
            message: format!(
                "the expression has {patterns} patterns; the maximum is {MAX_PATTERNS}"
            ),
            hint: "split the request, or use globs",
        });
    }
    Ok(())
}

//! Content expressions, which select documents: `lang/python+rust,docs,!docs/draft*`.
//!
//! An expression is a list of terms; a term is the name of a category or collection, optionally
//! with patterns. Names and patterns are resolved elsewhere. An expression displays as text that
//! parses to an equal expression.

mod parser;

use std::{fmt, ops::Range};

/// Characters with a meaning in patterns, unless escaped.
const SPECIAL: &str = "\\*?[]{}!,+/\"";

/// A selection of documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The terms in order, at least one of which includes documents.
    pub terms: Vec<Term>,
}

/// A category or collection, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Whether its documents are included or excluded.
    pub selection: Selection,
    /// The name of a category or collection.
    pub name: String,
    /// The documents it selects; if empty, those that the category or collection selects by
    /// default.
    pub patterns: Vec<Pattern>,
}

/// A pattern for the paths of documents in a category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Whether matching documents are included or excluded.
    pub selection: Selection,
    /// A glob for paths relative to the category's folder, in which a backslash escapes a
    /// character.
    pub glob: String,
}

/// Whether documents are included or, with a leading `!`, excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Adds documents to the result.
    Include,
    /// Removes documents from the result, wherever it is in the expression.
    Exclude,
}

/// Why a text is not a valid expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The invalid part, as a range of bytes.
    pub span: Range<usize>,
    /// The problem, without its location.
    pub message: String,
    /// How to fix it.
    pub hint: &'static str,
}

impl Expression {
    /// Parses an expression.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        parser::parse_expression(text)
    }

    /// Adds patterns, in the syntax after a `/`, to each term: `lang` with `python` becomes
    /// `lang/python`. Fails if a term already has patterns, since it is unclear which should apply.
    pub fn with_patterns(mut self, patterns: &str) -> Result<Self, ExpressionError> {
        let patterns = parser::parse_patterns(patterns)?;
        if let Some(term) = self.terms.iter().find(|term| !term.patterns.is_empty()) {
            return Err(ExpressionError {
                span: 0..0,
                message: format!(
                    "`{term}` already has a pattern, so `pattern` cannot be used with it"
                ),
                hint: "put all patterns into the expression, separated by `+`, or all into `pattern`",
            });
        }
        for term in &mut self.terms {
            term.patterns.clone_from(&patterns);
        }
        Ok(self)
    }
}

impl Pattern {
    /// Parses a pattern outside of an expression, as in configuration, where only a leading `!` is
    /// special.
    pub fn parse(text: &str) -> Self {
        match text.strip_prefix('!') {
            Some(glob) => Self { selection: Selection::Exclude, glob: glob.to_owned() },
            None => Self { selection: Selection::Include, glob: text.to_owned() },
        }
    }

    /// A pattern that matches exactly one path, whatever characters it has.
    pub fn literal(path: &str) -> Self {
        let mut glob = String::new();
        for c in path.chars() {
            // A slash separates folders in globs too, so it needs no escape.
            if c != '/' && is_special(c) {
                glob.push('\\');
            }
            glob.push(c);
        }
        Self { selection: Selection::Include, glob }
    }
}

/// Checks the name of a category or collection. It must need no escaping in expressions and URIs.
pub fn check_name(name: &str) -> Result<(), String> {
    catalog::name::check(name).map_err(|problem| problem.to_string())?;
    if name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        Ok(())
    } else {
        Err("it does not begin with a letter or digit".to_owned())
    }
}

fn is_special(c: char) -> bool {
    SPECIAL.contains(c) || c.is_whitespace()
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Include => Ok(()),
            Self::Exclude => f.write_str("!"),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.selection, self.glob)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.selection, self.name)?;
        for (index, pattern) in self.patterns.iter().enumerate() {
            write!(f, "{}{pattern}", if index == 0 { '/' } else { '+' })?;
        }
        Ok(())
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, term) in self.terms.iter().enumerate() {
            write!(f, "{}{term}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.hint)
    }
}

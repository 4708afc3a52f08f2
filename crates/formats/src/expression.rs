//! Expressions that say which documents are wanted: `lang/python+rust,docs,!docs/draft*`.
//!
//! An expression is a list of terms, a term a name and perhaps patterns. What the names stand for
//! and what the patterns find is not known here. An expression prints as text that reads as itself.

mod parser;

use std::{fmt, ops::Range};

/// The characters that mean something in a pattern unless they are escaped.
const SPECIAL: &str = "\\*?[]{}!,+/\"";

/// Which documents are wanted: the terms, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// At least one of them is wanted.
    pub terms: Vec<Term>,
}

/// A category or collection, or some of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Whether it is to be found or to be left out.
    pub sense: Sense,
    /// The name of the category or collection.
    pub name: String,
    /// Which of it; without any, what it gives by itself.
    pub patterns: Vec<Pattern>,
}

/// Some documents of a category, by their paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Whether they are to be found or to be left out.
    pub sense: Sense,
    /// A glob over paths, in which a backslash takes a character its meaning.
    pub glob: String,
}

/// Whether something is to be found or, with `!` before it, to be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// To be found.
    Wanted,
    /// To be left out.
    Unwanted,
}

/// Why a text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The bytes that are wrong.
    pub span: Range<usize>,
    /// What is wrong with them.
    pub message: String,
    /// What to write instead.
    pub hint: &'static str,
}

impl Expression {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        parser::expression(text)
    }

    /// The same expression with `patterns`, as they stand after a `/`, for each of its terms: `lang`
    /// with `python` is `lang/python`. No term may have patterns already.
    pub fn with_patterns(mut self, patterns: &str) -> Result<Self, ExpressionError> {
        let patterns = parser::patterns(patterns)?;
        if let Some(term) = self.terms.iter().find(|term| !term.patterns.is_empty()) {
            return Err(ExpressionError {
                span: 0..0,
                message: format!(
                    "`{term}` has a pattern of its own, and another one was given beside it"
                ),
                hint: "write all patterns into the expression, with `+` between them, or all into `pattern`",
            });
        }
        for term in &mut self.terms {
            term.patterns.clone_from(&patterns);
        }
        Ok(self)
    }
}

impl Pattern {
    /// A pattern that stands alone, so that only a `!` before it means something beyond the glob.
    pub fn alone(text: &str) -> Self {
        match text.strip_prefix('!') {
            Some(glob) => Self { sense: Sense::Unwanted, glob: glob.to_owned() },
            None => Self { sense: Sense::Wanted, glob: text.to_owned() },
        }
    }

    /// The pattern of one path, whatever its characters.
    pub fn literal(path: &str) -> Self {
        let mut glob = String::new();
        for c in path.chars() {
            if c != '/' && is_special(c) {
                glob.push('\\');
            }
            glob.push(c);
        }
        Self { sense: Sense::Wanted, glob }
    }
}

/// What is wrong with the name of a category or collection, if anything: it must be possible to
/// write it into an expression and an address as it is.
pub fn check_name(name: &str) -> Result<(), String> {
    catalog::name::check(name).map_err(|problem| problem.to_string())?;
    match name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        true => Ok(()),
        false => Err("it does not begin with a letter or digit".to_owned()),
    }
}

fn is_special(c: char) -> bool {
    SPECIAL.contains(c) || c.is_whitespace()
}

impl fmt::Display for Sense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wanted => Ok(()),
            Self::Unwanted => f.write_str("!"),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.sense, self.glob)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.sense, self.name)?;
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

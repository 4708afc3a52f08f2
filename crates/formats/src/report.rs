//! The diagnostics of one file, and the locations they refer to.

use std::{fmt::Write, ops::Range};

use catalog::{Diagnostic, Origin, Rule, Severity, SourceId, pointer::escape};
use serde_json::Value as Json;

use crate::{
    json::{Node, SyntaxProblem, Value},
    rules::syntax::TOO_MUCH,
};

/// Diagnostics kept for one file. Reading stops after as many errors.
const MAX_DIAGNOSTICS: usize = 1_000;

/// Reading also stops after this many diagnostics that were not kept.
const MAX_DROPPED: usize = 10_000;

/// The path to a node, as a chain along the call stack. It is turned into a JSON pointer only when
/// a diagnostic needs it, so that reading a good file allocates nothing for locations.
#[derive(Clone, Copy)]
pub(crate) struct NodePath<'p> {
    parent: Option<&'p NodePath<'p>>,
    token: Token<'p>,
}

#[derive(Clone, Copy)]
enum Token<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl NodePath<'static> {
    pub(crate) const ROOT: Self = Self { parent: None, token: Token::Root };
}

impl<'p> NodePath<'p> {
    pub(crate) fn key(&'p self, key: &'p str) -> Self {
        Self { parent: Some(self), token: Token::Key(key) }
    }

    pub(crate) fn index(&'p self, index: usize) -> Self {
        Self { parent: Some(self), token: Token::Index(index) }
    }

    pub(crate) fn pointer(&self) -> String {
        let mut pointer = String::new();
        self.write(&mut pointer);
        pointer
    }

    fn write(&self, pointer: &mut String) {
        if let Some(parent) = self.parent {
            parent.write(pointer);
        }
        match self.token {
            Token::Root => {}
            Token::Index(index) => {
                write!(pointer, "/{index}").expect("writing to a string cannot fail")
            }
            Token::Key(key) => {
                pointer.push('/');
                pointer.push_str(&escape(key));
            }
        }
    }
}

/// The diagnostics of one file.
pub(crate) struct Report {
    source: SourceId,
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    dropped: usize,
    /// The tool that is being read, to which diagnostics are attributed.
    pub(crate) tool: Option<String>,
}

impl Report {
    pub(crate) fn new(source: &SourceId) -> Self {
        Self { source: source.clone(), diagnostics: Vec::new(), errors: 0, dropped: 0, tool: None }
    }

    /// Creates a diagnostic about a value, to be completed and pushed.
    pub(crate) fn at_value(
        &self,
        rule: &Rule,
        at: &NodePath<'_>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(rule, Origin::value(&self.source, at.pointer()), message)
    }

    /// Creates a diagnostic about the value at a JSON pointer.
    pub(crate) fn at_pointer(
        &self,
        rule: &Rule,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(rule, Origin::value(&self.source, pointer), message)
    }

    /// Creates a diagnostic about a key.
    pub(crate) fn at_key(
        &self,
        rule: &Rule,
        at: &NodePath<'_>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(rule, Origin::key(&self.source, at.pointer()), message)
    }

    /// Creates a diagnostic about a range of bytes.
    pub(crate) fn at_span(
        &self,
        rule: &Rule,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(rule, Origin::span(&self.source, span), message)
    }

    /// Creates a diagnostic about the whole file.
    pub(crate) fn at_file(&self, rule: &Rule, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(rule, Origin::whole_file(&self.source), message)
    }

    /// Adds a problem that a parser found.
    pub(crate) fn push_syntax(&mut self, problem: SyntaxProblem) {
        let mut diagnostic = Diagnostic::new(
            problem.rule,
            Origin::offset(&self.source, problem.offset),
            problem.message,
        );
        diagnostic.hint = problem.hint;
        self.push(diagnostic);
    }

    pub(crate) fn push(&mut self, mut diagnostic: Diagnostic) {
        // Errors are counted even if they are not kept, because readers compare counts to find out
        // whether a part is valid.
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        if self.diagnostics.len() == MAX_DIAGNOSTICS {
            self.dropped += 1;
            return;
        }
        if diagnostic.tool.is_none() {
            diagnostic.tool.clone_from(&self.tool);
        }
        self.diagnostics.push(diagnostic);
    }

    /// The number of errors so far, including those not kept.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Whether there are so many problems that reading should stop.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.errors >= MAX_DIAGNOSTICS || self.dropped >= MAX_DROPPED
    }

    pub(crate) fn source(&self) -> &SourceId {
        &self.source
    }

    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        let message = if self.is_exhausted() {
            "there are too many problems; the rest of the file was not read".to_owned()
        } else if self.dropped > 0 {
            format!("{} more problems are not shown", self.dropped)
        } else {
            return self.diagnostics;
        };
        let last = self.at_file(&TOO_MUCH, message).hint("fix the first ones, then check again");
        self.diagnostics.push(last);
        self.diagnostics
    }
}

/// The type of a value as messages name it.
pub(crate) fn type_name(node: &Node<'_>) -> &'static str {
    match &node.value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A value for a diagnostic: long strings are truncated, arrays and objects are counted.
pub(crate) fn summarize(node: &Node<'_>) -> Json {
    const LONGEST: usize = 80;
    match &node.value {
        Value::String(text) if text.chars().nth(LONGEST).is_some() => {
            Json::String(text.chars().take(LONGEST).chain("…".chars()).collect())
        }
        Value::Array(items) => Json::String(format!("an array of {} items", items.len())),
        Value::Object(members) => Json::String(format!("an object of {} members", members.len())),
        _ => node.to_value(),
    }
}

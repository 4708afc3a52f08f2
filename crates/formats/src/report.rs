//! Where the reader is and what it has found so far.

use std::{fmt::Write, ops::Range};

use catalog::{Diagnostic, Origin, Rule, Severity, SourceId, pointer::escape};
use serde_json::Value as Json;

use crate::{
    json::{Node, Problem, Value},
    rules::syntax::TOO_MUCH,
};

/// No more diagnostics than this are kept for one file; as many errors end its reading.
const MAX_DIAGNOSTICS: usize = 1_000;

/// So many diagnostics that were not kept end the reading too.
const MAX_DROPPED: usize = 10_000;

/// A place in the tree, as a chain along the stack. It is spelled out only when somebody asks.
#[derive(Clone, Copy)]
pub(crate) struct At<'p> {
    parent: Option<&'p At<'p>>,
    token: Token<'p>,
}

#[derive(Clone, Copy)]
enum Token<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl At<'static> {
    pub(crate) const ROOT: Self = Self { parent: None, token: Token::Root };
}

impl<'p> At<'p> {
    pub(crate) fn key(&'p self, key: &'p str) -> Self {
        Self { parent: Some(self), token: Token::Key(key) }
    }

    pub(crate) fn index(&'p self, index: usize) -> Self {
        Self { parent: Some(self), token: Token::Index(index) }
    }

    /// The JSON pointer.
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
                write!(pointer, "/{index}").expect("a string takes what is written")
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
    /// The tool that is being read.
    pub(crate) tool: Option<String>,
}

impl Report {
    pub(crate) fn new(source: &SourceId) -> Self {
        Self { source: source.clone(), diagnostics: Vec::new(), errors: 0, dropped: 0, tool: None }
    }

    /// A diagnostic about a value, to be filled in and pushed.
    pub(crate) fn value(&self, rule: &Rule, at: &At<'_>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(rule, Origin::value(&self.source, at.pointer()), message)
    }

    /// A diagnostic about the value at a pointer that is spelled out already.
    pub(crate) fn pointer(
        &self,
        rule: &Rule,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(rule, Origin::value(&self.source, pointer), message)
    }

    /// A diagnostic about a key.
    pub(crate) fn key(&self, rule: &Rule, at: &At<'_>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(rule, Origin::key(&self.source, at.pointer()), message)
    }

    /// A diagnostic about some bytes.
    pub(crate) fn span(
        &self,
        rule: &Rule,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(rule, Origin::span(&self.source, span), message)
    }

    /// A diagnostic about the whole file.
    pub(crate) fn whole(&self, rule: &Rule, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(rule, Origin::whole(&self.source), message)
    }

    /// Takes over what the parser found.
    pub(crate) fn problem(&mut self, problem: Problem) {
        let mut diagnostic = Diagnostic::new(
            problem.rule,
            Origin::offset(&self.source, problem.offset),
            problem.message,
        );
        diagnostic.hint = problem.hint;
        self.push(diagnostic);
    }

    pub(crate) fn push(&mut self, mut diagnostic: Diagnostic) {
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

    /// How many errors there were until now.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Whether there are so many problems that reading on would only cost time.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.errors >= MAX_DIAGNOSTICS || self.dropped >= MAX_DROPPED
    }

    pub(crate) fn source(&self) -> &SourceId {
        &self.source
    }

    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        let message = match self.is_exhausted() {
            true => "there are too many problems; the file was not read to its end".to_owned(),
            false if self.dropped > 0 => format!("{} more problems are not shown", self.dropped),
            false => return self.diagnostics,
        };
        let last = self.whole(&TOO_MUCH, message).hint("mend the first ones");
        self.diagnostics.push(last);
        self.diagnostics
    }
}

/// What a value is, in the words of messages.
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

/// A value for a diagnostic: what is long is cut, what is large is counted.
pub(crate) fn shown(node: &Node<'_>) -> Json {
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

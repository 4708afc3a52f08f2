//! A cheap look over a written schema: shapes, patterns and references, without compiling it.

use super::{
    check_pattern,
    reference::{self, Reference},
};
use crate::{
    json::{Node, Value},
    object::{whole, wrong_type},
    report::{At, Report, shown},
    rules::schema::{BAD_SCHEMA, TOO_MANY_REFERENCES},
};

/// More references than this are not a schema for arguments, and could be deep enough to crash a validator.
const MAX_REFERENCES: usize = 200;

const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

/// What stands after a keyword.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Schema,
    SchemaList,
    SchemaMap,
    Type,
    Names,
    NamesMap,
    Values,
    Text,
    Flag,
    Number,
    Count,
    Positive,
    Pattern,
    PatternMap,
    Reference,
    NestedId,
}

const KEYWORDS: [(&str, Shape); 56] = [
    ("type", Shape::Type),
    ("properties", Shape::SchemaMap),
    ("items", Shape::Schema),
    ("required", Shape::Names),
    ("enum", Shape::Values),
    ("examples", Shape::Values),
    ("$schema", Shape::Text),
    ("description", Shape::Text),
    ("title", Shape::Text),
    ("format", Shape::Text),
    ("pattern", Shape::Pattern),
    ("additionalProperties", Shape::Schema),
    ("minimum", Shape::Number),
    ("maximum", Shape::Number),
    ("exclusiveMinimum", Shape::Number),
    ("exclusiveMaximum", Shape::Number),
    ("multipleOf", Shape::Positive),
    ("minLength", Shape::Count),
    ("maxLength", Shape::Count),
    ("minItems", Shape::Count),
    ("maxItems", Shape::Count),
    ("minProperties", Shape::Count),
    ("maxProperties", Shape::Count),
    ("minContains", Shape::Count),
    ("maxContains", Shape::Count),
    ("uniqueItems", Shape::Flag),
    ("readOnly", Shape::Flag),
    ("writeOnly", Shape::Flag),
    ("deprecated", Shape::Flag),
    ("prefixItems", Shape::SchemaList),
    ("allOf", Shape::SchemaList),
    ("anyOf", Shape::SchemaList),
    ("oneOf", Shape::SchemaList),
    ("not", Shape::Schema),
    ("if", Shape::Schema),
    ("then", Shape::Schema),
    ("else", Shape::Schema),
    ("contains", Shape::Schema),
    ("propertyNames", Shape::Schema),
    ("unevaluatedItems", Shape::Schema),
    ("unevaluatedProperties", Shape::Schema),
    ("contentSchema", Shape::Schema),
    ("patternProperties", Shape::PatternMap),
    ("dependentSchemas", Shape::SchemaMap),
    ("dependentRequired", Shape::NamesMap),
    ("$defs", Shape::SchemaMap),
    ("definitions", Shape::SchemaMap),
    ("$ref", Shape::Reference),
    ("$dynamicRef", Shape::Reference),
    ("$recursiveRef", Shape::Reference),
    ("$id", Shape::NestedId),
    ("$anchor", Shape::Text),
    ("$dynamicAnchor", Shape::Text),
    ("$comment", Shape::Text),
    ("contentEncoding", Shape::Text),
    ("contentMediaType", Shape::Text),
];

/// One look over one schema.
pub(crate) struct Walk<'n, 'r> {
    root: &'n Node<'n>,
    report: &'r mut Report,
    references: Vec<Reference<'n>>,
}

impl<'n, 'r> Walk<'n, 'r> {
    pub(crate) fn new(root: &'n Node<'n>, report: &'r mut Report) -> Self {
        Self { root, report, references: Vec::new() }
    }

    /// Reports everything that would keep the schema from being used.
    pub(crate) fn run(mut self, at: &At<'_>) {
        self.schema(self.root, at);
        if self.references.len() > MAX_REFERENCES {
            let message = format!("the schema has {} references", self.references.len());
            let problem = self.report.value(&TOO_MANY_REFERENCES, at, message);
            self.report.push(
                problem
                    .expected(format!("at most {MAX_REFERENCES}"))
                    .hint("write short parts where they are used"),
            );
            return;
        }
        reference::check(&self.references, self.root, self.report);
    }

    fn schema(&mut self, node: &'n Node<'n>, at: &At<'_>) {
        match &node.value {
            _ if self.report.is_exhausted() => {}
            Value::Bool(_) => {}
            Value::Object(members) => {
                for member in members {
                    if let Some((_, shape)) =
                        KEYWORDS.iter().find(|(keyword, _)| *keyword == member.key)
                    {
                        self.keyword(node, *shape, &member.value, &at.key(&member.key));
                    }
                }
            }
            _ => wrong_type(node, at, "a schema: object or boolean", self.report),
        }
    }

    fn keyword(&mut self, holder: &'n Node<'n>, shape: Shape, node: &'n Node<'n>, at: &At<'_>) {
        match shape {
            Shape::Schema => self.schema(node, at),
            Shape::SchemaList => self.list(node, at),
            Shape::SchemaMap => self.map(node, at, Self::schema),
            Shape::NamesMap => self.map(node, at, Self::names),
            Shape::PatternMap => {
                for member in node.members() {
                    check_pattern(&member.key, &at.key(&member.key), self.report);
                }
                self.map(node, at, Self::schema);
            }
            Shape::Type => self.kind(node, at),
            Shape::Names => self.names(node, at),
            Shape::Values => self.expect(matches!(node.value, Value::Array(_)), "array", node, at),
            Shape::Text => self.expect(node.as_str().is_some(), "string", node, at),
            Shape::Flag => self.expect(node.as_bool().is_some(), "boolean", node, at),
            Shape::Number => self.expect(node.as_number().is_some(), "number", node, at),
            Shape::Count => self.expect(whole(node).is_some(), "integer from 0", node, at),
            Shape::Positive => {
                let is_positive = node
                    .as_number()
                    .and_then(serde_json::Number::as_f64)
                    .is_some_and(|value| value > 0.0);
                self.expect(is_positive, "number above 0", node, at);
            }
            Shape::Pattern => match node.as_str() {
                Some(pattern) => check_pattern(pattern, at, self.report),
                None => wrong_type(node, at, "string", self.report),
            },
            Shape::Reference => match node.as_str() {
                Some(target) => {
                    self.references.push(Reference { holder, target, pointer: at.pointer() })
                }
                None => wrong_type(node, at, "string", self.report),
            },
            Shape::NestedId => {
                let is_root = std::ptr::eq(holder, self.root);
                self.expect(
                    is_root && node.as_str().is_some(),
                    "`$id` only at the root of the schema",
                    node,
                    at,
                );
            }
        }
    }

    fn list(&mut self, node: &'n Node<'n>, at: &At<'_>) {
        self.expect(!node.items().is_empty(), "array of schemas, not empty", node, at);
        for (index, item) in node.items().iter().enumerate() {
            self.schema(item, &at.index(index));
        }
    }

    fn map(&mut self, node: &'n Node<'n>, at: &At<'_>, each: fn(&mut Self, &'n Node<'n>, &At<'_>)) {
        self.expect(node.is_object(), "object", node, at);
        for member in node.members() {
            each(self, &member.value, &at.key(&member.key));
        }
    }

    fn names(&mut self, node: &'n Node<'n>, at: &At<'_>) {
        let names: Vec<_> = node.items().iter().filter_map(Node::as_str).collect();
        let is_list = matches!(node.value, Value::Array(_)) && names.len() == node.items().len();
        let is_unique = names.iter().collect::<std::collections::HashSet<_>>().len() == names.len();
        self.expect(is_list && is_unique, "array of names, each once", node, at);
    }

    fn kind(&mut self, node: &'n Node<'n>, at: &At<'_>) {
        let is_type = |node: &Node<'_>| node.as_str().is_some_and(|name| TYPES.contains(&name));
        let items = node.items();
        let is_list = !items.is_empty()
            && items.iter().all(is_type)
            && items.iter().enumerate().all(|(index, item)| {
                !items[..index].iter().any(|other| other.as_str() == item.as_str())
            });
        self.expect(is_type(node) || is_list, &format!("one of {}", TYPES.join(", ")), node, at);
    }

    fn expect(&mut self, is_good: bool, expected: &str, node: &Node<'_>, at: &At<'_>) {
        if !is_good {
            let problem = self.report.value(&BAD_SCHEMA, at, format!("expected {expected}"));
            self.report.push(problem.expected(expected).received(shown(node)));
        }
    }
}

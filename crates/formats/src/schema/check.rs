//! Checks the shape of every keyword of a schema, its patterns and its references.

use super::{
    check_pattern,
    reference::{self, Reference},
};
use crate::{
    json::{Node, Value},
    object::{report_wrong_type, to_count},
    report::{NodePath, Report, summarize},
    rules::schema::{BAD_SCHEMA, TOO_MANY_REFERENCES},
};

/// No schema for arguments needs more references, and long chains of them overflow the stack of
/// validators.
const MAX_REFERENCES: usize = 200;

const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

/// The shape of a keyword's value.
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

/// The keywords of draft 2020-12 and their shapes. Unknown keywords are allowed, as JSON Schema
/// requires.
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

/// The check of one schema.
pub(crate) struct SchemaCheck<'n, 'r> {
    root: &'n Node<'n>,
    report: &'r mut Report,
    references: Vec<Reference<'n>>,
}

impl<'n, 'r> SchemaCheck<'n, 'r> {
    pub(crate) fn new(root: &'n Node<'n>, report: &'r mut Report) -> Self {
        Self { root, report, references: Vec::new() }
    }

    /// Reports every problem that would make the schema unusable.
    pub(crate) fn run(mut self, at: &NodePath<'_>) {
        self.check_schema(self.root, at);
        // Checked before references are followed, which is quadratic in their number.
        if self.references.len() > MAX_REFERENCES {
            let message = format!("the schema has {} references", self.references.len());
            let problem = self.report.at_value(&TOO_MANY_REFERENCES, at, message);
            self.report.push(
                problem
                    .with_expected(format!("at most {MAX_REFERENCES}"))
                    .hint("inline short subschemas"),
            );
            return;
        }
        reference::check(&self.references, self.root, self.report);
    }

    fn check_schema(&mut self, node: &'n Node<'n>, at: &NodePath<'_>) {
        match &node.value {
            _ if self.report.is_exhausted() => {}
            Value::Bool(_) => {}
            Value::Object(members) => {
                for member in members {
                    if let Some((_, shape)) =
                        KEYWORDS.iter().find(|(keyword, _)| *keyword == member.key)
                    {
                        self.check_keyword(node, *shape, &member.value, &at.key(&member.key));
                    }
                }
            }
            _ => report_wrong_type(node, at, "a schema: object or boolean", self.report),
        }
    }

    fn check_keyword(
        &mut self,
        holder: &'n Node<'n>,
        shape: Shape,
        node: &'n Node<'n>,
        at: &NodePath<'_>,
    ) {
        match shape {
            Shape::Schema => self.check_schema(node, at),
            Shape::SchemaList => self.check_schema_list(node, at),
            Shape::SchemaMap => self.check_map(node, at, Self::check_schema),
            Shape::NamesMap => self.check_map(node, at, Self::check_names),
            Shape::PatternMap => {
                for member in node.members() {
                    check_pattern(&member.key, &at.key(&member.key), self.report);
                }
                self.check_map(node, at, Self::check_schema);
            }
            Shape::Type => self.check_type(node, at),
            Shape::Names => self.check_names(node, at),
            Shape::Values => self.expect(matches!(node.value, Value::Array(_)), "array", node, at),
            Shape::Text => self.expect(node.as_str().is_some(), "string", node, at),
            Shape::Flag => self.expect(node.as_bool().is_some(), "boolean", node, at),
            Shape::Number => self.expect(node.as_number().is_some(), "number", node, at),
            Shape::Count => self.expect(to_count(node).is_some(), "integer from 0", node, at),
            Shape::Positive => {
                let is_positive = node
                    .as_number()
                    .and_then(serde_json::Number::as_f64)
                    .is_some_and(|value| value > 0.0);
                self.expect(is_positive, "number above 0", node, at);
            }
            Shape::Pattern => match node.as_str() {
                Some(pattern) => check_pattern(pattern, at, self.report),
                None => report_wrong_type(node, at, "string", self.report),
            },
            Shape::Reference => match node.as_str() {
                Some(target) => {
                    self.references.push(Reference { holder, target, pointer: at.pointer() })
                }
                None => report_wrong_type(node, at, "string", self.report),
            },
            // An `$id` below the root changes the base of references, which validators handle
            // differently.
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

    fn check_schema_list(&mut self, node: &'n Node<'n>, at: &NodePath<'_>) {
        self.expect(!node.items().is_empty(), "a non-empty array of schemas", node, at);
        for (index, item) in node.items().iter().enumerate() {
            self.check_schema(item, &at.index(index));
        }
    }

    fn check_map(
        &mut self,
        node: &'n Node<'n>,
        at: &NodePath<'_>,
        each: fn(&mut Self, &'n Node<'n>, &NodePath<'_>),
    ) {
        self.expect(node.is_object(), "object", node, at);
        for member in node.members() {
            each(self, &member.value, &at.key(&member.key));
        }
    }

    fn check_names(&mut self, node: &'n Node<'n>, at: &NodePath<'_>) {
        let names: Vec<_> = node.items().iter().filter_map(Node::as_str).collect();
        let is_list = matches!(node.value, Value::Array(_)) && names.len() == node.items().len();
        let is_unique = names.iter().collect::<std::collections::HashSet<_>>().len() == names.len();
        self.expect(is_list && is_unique, "an array of unique names", node, at);
    }

    fn check_type(&mut self, node: &'n Node<'n>, at: &NodePath<'_>) {
        let is_type = |node: &Node<'_>| node.as_str().is_some_and(|name| TYPES.contains(&name));
        let items = node.items();
        let is_list = !items.is_empty()
            && items.iter().all(is_type)
            && items.iter().enumerate().all(|(index, item)| {
                !items[..index].iter().any(|other| other.as_str() == item.as_str())
            });
        self.expect(is_type(node) || is_list, &format!("one of {}", TYPES.join(", ")), node, at);
    }

    fn expect(&mut self, is_valid: bool, expected: &str, node: &Node<'_>, at: &NodePath<'_>) {
        if !is_valid {
            let problem = self.report.at_value(&BAD_SCHEMA, at, format!("expected {expected}"));
            self.report.push(problem.with_expected(expected).with_received(summarize(node)));
        }
    }
}

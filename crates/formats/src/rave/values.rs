//! The values in a schema: default, choices and examples.
//!
//! A value that does not have the parameter's type is removed rather than served, because models
//! imitate the values they see.

use super::{
    coerce::{Coerced, coerce},
    normalize::{SchemaNormalizer, display_value},
    rules::{MENDED_VALUE, UNFIT_VALUE},
};
use crate::{
    json::{Node, Value},
    report::{NodePath, summarize},
};

impl SchemaNormalizer<'_, '_> {
    /// Coerces a default to the type of its schema. A default of `NULL` is kept for every type: it
    /// is how R functions mark an optional argument.
    pub(super) fn coerce_default<'a>(
        &mut self,
        node: &Node<'a>,
        schema: &Node<'a>,
        at: &NodePath<'_>,
    ) -> Option<Node<'a>> {
        if node.value == Value::Null {
            return Some(node.clone());
        }
        let value = match coerce(node, schema, self.text) {
            Coerced::Exact(value) => value,
            Coerced::Converted(value) => {
                self.report_converted(node, at, &value.to_value().to_string());
                value
            }
            Coerced::Mismatch => {
                self.report_unfit_default(node, at, "does not have the parameter's type");
                return None;
            }
        };
        // Validators do not check defaults, but clients fill them into the form of a call.
        if !is_choice(&value, schema, self.text) {
            self.report_unfit_default(node, at, "is not one of the values of `enum`");
            return None;
        }
        Some(value)
    }

    fn report_unfit_default(&mut self, node: &Node<'_>, at: &NodePath<'_>, why: &str) {
        let message =
            format!("the default `{}` {why}; R's own default is used", display_value(node));
        self.report.push(
            self.report
                .at_value(&UNFIT_VALUE, at, message)
                .with_received(summarize(node))
                .hint("correct or remove it"),
        );
    }

    /// Coerces the values of `enum`.
    pub(super) fn coerce_choices<'a>(
        &mut self,
        node: &Node<'a>,
        schema: &Node<'a>,
        at: &NodePath<'_>,
    ) -> Option<Node<'a>> {
        self.coerce_list(node, schema, at, |_| None)
    }

    /// Coerces the values of `examples`. Authors give an example of an item for an array of them,
    /// which becomes an array of one.
    pub(super) fn coerce_examples<'a>(
        &mut self,
        node: &Node<'a>,
        schema: &Node<'a>,
        at: &NodePath<'_>,
    ) -> Option<Node<'a>> {
        let text = self.text;
        self.coerce_list(node, schema, at, |example| wrap_item(example, schema, text))
    }

    /// Coerces each value of a list; one that does not match is replaced by `fallback` or removed.
    fn coerce_list<'a>(
        &mut self,
        node: &Node<'a>,
        schema: &Node<'a>,
        at: &NodePath<'_>,
        fallback: impl Fn(&Node<'a>) -> Option<Node<'a>>,
    ) -> Option<Node<'a>> {
        let (mut kept, mut converted) = (Vec::new(), Vec::new());
        for (index, item) in self.read_list(node, at).iter().enumerate() {
            match coerce(item, schema, self.text) {
                Coerced::Exact(value) => kept.push(value),
                Coerced::Converted(value) => {
                    converted.push(value.to_value().to_string());
                    kept.push(value);
                }
                Coerced::Mismatch => match fallback(item) {
                    Some(value) => kept.push(value),
                    None => self.report_unfit_item(item, &at.index(index)),
                },
            }
        }
        if !converted.is_empty() {
            self.report_converted(node, at, &converted.join(", "));
        }
        // An empty `enum` would allow no value at all.
        (!kept.is_empty()).then_some(Node { value: Value::Array(kept), span: node.span })
    }

    fn report_unfit_item(&mut self, item: &Node<'_>, at: &NodePath<'_>) {
        let message =
            format!("omitted `{}`, which does not have the parameter's type", display_value(item));
        self.report.push(
            self.report
                .at_value(&UNFIT_VALUE, at, message)
                .with_received(summarize(item))
                .hint("correct or remove it"),
        );
    }

    pub(super) fn report_converted(&mut self, node: &Node<'_>, at: &NodePath<'_>, to: &str) {
        let message = format!("this is read as `{to}`");
        self.report
            .push(self.report.at_value(&MENDED_VALUE, at, message).with_received(summarize(node)));
    }

    /// The items of a list. R's YAML writer unboxes a vector of length one to its item and turns a
    /// named vector into a mapping.
    pub(super) fn read_list<'a>(&mut self, node: &Node<'a>, at: &NodePath<'_>) -> Vec<Node<'a>> {
        let items: Vec<_> = match &node.value {
            Value::Array(items) => return items.clone(),
            Value::Null => return Vec::new(),
            Value::Object(members) => members.iter().map(|member| member.value.clone()).collect(),
            _ => vec![node.clone()],
        };
        self.report.push(
            self.report
                .at_value(&MENDED_VALUE, at, "this is read as a list")
                .with_received(summarize(node)),
        );
        items
    }
}

/// Turns an example of an item into an example of the array.
fn wrap_item<'a>(example: &Node<'a>, schema: &Node<'a>, text: &str) -> Option<Node<'a>> {
    match coerce(example, schema.get("items")?, text) {
        Coerced::Exact(value) | Coerced::Converted(value) => {
            Some(Node { span: example.span, value: Value::Array(vec![value]) })
        }
        Coerced::Mismatch => None,
    }
}

/// Whether a value is in `enum`; true without one. Choices are coerced first, so that `default: 1`
/// matches the choice `'1'`.
fn is_choice(value: &Node<'_>, schema: &Node<'_>, text: &str) -> bool {
    let choices = schema.get("enum").map(Node::items).unwrap_or_default();
    let is_equal = |choice: &Node<'_>| match coerce(choice, schema, text) {
        Coerced::Exact(choice) | Coerced::Converted(choice) => choice.value == value.value,
        Coerced::Mismatch => false,
    };
    choices.is_empty() || choices.iter().any(is_equal)
}

//! Structural equality of keywords that are too hard to compare, up to annotations and references.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Comparer, MAX_DEPTH, Pair,
    keywords::{is_annotation, is_schema_map},
    node::{Node, find_reference, resolve},
};

impl<'a> Comparer<'a> {
    /// Compares the opaque keywords of two schemas. Any difference in one of them is undecided.
    pub(super) fn compare_opaque_keywords(&mut self, pair: Pair<'a, '_>) {
        let (old, new) = (pair.old.opaque_keywords(), pair.new.opaque_keywords());
        let keys: BTreeSet<&str> = old.iter().chain(&new).map(|(key, _)| *key).collect();
        for key in keys {
            let get = |keywords: &[(&'a str, &'a Value)]| {
                keywords.iter().find(|(own, _)| *own == key).map(|(_, value)| *value)
            };
            let is_same = match (get(&old), get(&new)) {
                (Some(old), Some(new)) => self.is_same_keyword(key, old, new, 0),
                _ => false,
            };
            if !is_same {
                let subject = self.direction.describe_subject(pair.pointer);
                self.push_undecided(
                    &format!("{}/{key}", pair.pointer),
                    &format!("`{key}` of {subject} changed"),
                );
            }
        }
    }

    /// Whether a keyword has the same meaning on both sides: equal values after resolving
    /// references and leaving out annotations. The answer `false` also means "not known".
    fn is_same_keyword(&self, key: &str, old: &'a Value, new: &'a Value, depth: usize) -> bool {
        if depth > MAX_DEPTH || !self.count_step() {
            return false;
        }
        let is_same_schema =
            |old: &'a Value, new: &'a Value| self.is_same_value(old, new, depth + 1);
        match (key, old, new) {
            // Data, not schemas: a `description` in it is a value like any other.
            ("const" | "enum" | "required", old, new) => old == new,
            ("$ref", Value::String(old), Value::String(new)) => {
                match find_reference(self.old_root, old).zip(find_reference(self.new_root, new)) {
                    Some((old, new)) => self.is_same_node(old, new, depth + 1),
                    // The same address outside is taken for the same schema. A local reference that
                    // cannot be found may lead anywhere.
                    None => old == new && !old.starts_with('#'),
                }
            }
            // Its target depends on the schemas through which it was reached.
            ("$dynamicRef", ..) => false,
            (key, Value::Object(old), Value::Object(new)) if is_schema_map(key) => {
                old.len() == new.len()
                    && old.iter().all(|(name, schema)| {
                        new.get(name).is_some_and(|other| is_same_schema(schema, other))
                    })
            }
            (_, Value::Array(old), Value::Array(new)) => {
                old.len() == new.len()
                    && old.iter().zip(new).all(|(old, new)| is_same_schema(old, new))
            }
            (_, old, new) => is_same_schema(old, new),
        }
    }

    fn is_same_value(&self, old: &'a Value, new: &'a Value, depth: usize) -> bool {
        if old.is_object() && new.is_object() {
            self.is_same_node(Node::from_value(old), Node::from_value(new), depth)
        } else {
            old == new
        }
    }

    fn is_same_node(&self, old: Node<'a>, new: Node<'a>, depth: usize) -> bool {
        let (old, new) = match (resolve(self.old_root, old), resolve(self.new_root, new)) {
            (Node::Object(old), Node::Object(new)) => (old, new),
            (Node::Everything, Node::Everything) | (Node::Nothing, Node::Nothing) => return true,
            _ => return false,
        };
        let count_constraints = |schema: &'a serde_json::Map<String, Value>| {
            schema.keys().filter(|key| !is_annotation(key)).count()
        };
        let mut constraints = old.iter().filter(|(key, _)| !is_annotation(key));
        // Equal counts and every old keyword found in the new schema: so the new one has no keyword
        // of its own.
        count_constraints(old) == count_constraints(new)
            && constraints.all(|(key, value)| {
                new.get(key).is_some_and(|other| self.is_same_keyword(key, value, other, depth))
            })
    }
}

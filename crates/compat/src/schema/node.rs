//! One schema inside a document, and the references between them.

use catalog::{Schema, pointer};
use serde_json::{Map, Value};

use super::keywords::{is_annotation, is_opaque};

/// Longer chains of references are not followed; they are probably circular.
const MAX_REFERENCE_CHAIN: usize = 32;

/// A schema, with the boolean schemas `true` and `false` as cases of their own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node<'a> {
    Everything,
    Nothing,
    Object(&'a Map<String, Value>),
}

impl<'a> Node<'a> {
    pub(super) fn from_value(value: &'a Value) -> Self {
        match value {
            Value::Object(object) if is_false(object) => Self::Nothing,
            Value::Object(object) => Self::Object(object),
            Value::Bool(false) => Self::Nothing,
            // `true`, and values that are no schema at all: a validator ignores those, so they
            // restrict nothing.
            _ => Self::Everything,
        }
    }

    pub(super) fn get(self, key: &str) -> Option<&'a Value> {
        match self {
            Self::Object(object) => object.get(key),
            Self::Everything | Self::Nothing => None,
        }
    }

    /// The address of the object, by which a schema is recognized in a cycle of references. Boolean
    /// schemas have none, and contain nothing that could form a cycle.
    pub(super) fn address(self) -> *const Map<String, Value> {
        match self {
            Self::Object(object) => object,
            Self::Everything | Self::Nothing => std::ptr::null(),
        }
    }

    /// The schema under `key`, such as `items`; an absent one accepts everything.
    pub(super) fn subschema(self, key: &str) -> Self {
        self.get(key).map_or(Self::Everything, Self::from_value)
    }

    /// The names in `required`.
    pub(super) fn required(self) -> impl Iterator<Item = &'a str> {
        let names = self.get("required").and_then(Value::as_array);
        names.into_iter().flatten().filter_map(Value::as_str)
    }

    /// The names in `properties`.
    pub(super) fn property_names(self) -> impl Iterator<Item = &'a str> {
        let properties = self.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(Map::keys).map(String::as_str)
    }

    /// The keywords that are only compared for equality, with their values.
    pub(super) fn opaque_keywords(self) -> Vec<(&'a str, &'a Value)> {
        self.entries().filter(|(key, _)| is_opaque(key)).collect()
    }

    /// The annotations, with their values.
    pub(super) fn annotations(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.entries().filter(|(key, _)| is_annotation(key))
    }

    /// Whether no keyword other than `allowed` decides which values are valid.
    pub(super) fn has_only(self, allowed: &[&str]) -> bool {
        self.entries().all(|(key, _)| is_annotation(key) || allowed.contains(&key))
    }

    fn entries(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let object = match self {
            Self::Object(object) => Some(object),
            Self::Everything | Self::Nothing => None,
        };
        object.into_iter().flatten().map(|(key, value)| (key.as_str(), value))
    }
}

/// Whether a schema is `{"not": {}}`, which is how servers list `false`.
fn is_false(schema: &Map<String, Value>) -> bool {
    let not = schema.get("not").and_then(Value::as_object);
    schema.len() == 1 && not.is_some_and(Map::is_empty)
}

/// Follows a `$ref`, and an `allOf` with a single part, as long as no other keyword stands next to
/// it. Generators write such an `allOf` to attach a description to a reference.
pub(super) fn resolve<'a>(root: &'a Map<String, Value>, node: Node<'a>) -> Node<'a> {
    let mut node = node;
    for _ in 0..MAX_REFERENCE_CHAIN {
        let next = match (node.get("$ref"), node.get("allOf")) {
            (Some(Value::String(reference)), None) if node.has_only(&["$ref"]) => {
                find_reference(root, reference)
            }
            (None, Some(Value::Array(parts))) if parts.len() == 1 && node.has_only(&["allOf"]) => {
                Some(Node::from_value(&parts[0]))
            }
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => return node,
        }
    }
    node
}

/// The schema that a reference into the same document leads to: a JSON pointer (`#/$defs/a`) or an
/// anchor (`#a`). References to other documents are never fetched and stay opaque.
pub(super) fn find_reference<'a>(
    root: &'a Map<String, Value>,
    reference: &str,
) -> Option<Node<'a>> {
    let fragment = reference.strip_prefix('#')?;
    if !fragment.is_empty() && !fragment.starts_with('/') {
        return find_anchor(root, fragment);
    }
    let mut tokens = pointer::tokens(fragment);
    // `#` refers to the document itself, which is how recursive schemas are written.
    let Some(first) = tokens.next() else {
        return Some(Node::Object(root));
    };
    let value = tokens.try_fold(root.get(first.as_ref())?, |value, token| match value {
        Value::Array(items) => items.get(token.parse::<usize>().ok()?),
        value => value.get(token.as_ref()),
    })?;
    Some(Node::from_value(value))
}

/// The definition with this `$anchor`.
fn find_anchor<'a>(root: &'a Map<String, Value>, anchor: &str) -> Option<Node<'a>> {
    let definitions = ["$defs", "definitions"].into_iter().filter_map(|key| root.get(key));
    definitions
        .filter_map(Value::as_object)
        .flat_map(Map::values)
        .find(|definition| definition.get("$anchor").and_then(Value::as_str) == Some(anchor))
        .map(Node::from_value)
}

/// Whether `value` is valid for the schema. A schema that does not compile accepts nothing.
pub(super) fn accepts(root: &Map<String, Value>, node: Node<'_>, value: &Value) -> bool {
    let Node::Object(object) = node else {
        return matches!(node, Node::Everything);
    };
    // The node becomes the root of a document of its own, so its references need the definitions.
    let mut object = object.clone();
    for key in ["$defs", "definitions"] {
        if let Some(definitions) = root.get(key) {
            object.insert(key.to_owned(), definitions.clone());
        }
    }
    Schema::new(object).validator().is_ok_and(|validator| validator.is_valid(value))
}

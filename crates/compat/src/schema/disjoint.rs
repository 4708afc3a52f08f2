//! Decides whether the parts of a `oneOf` exclude each other.

use serde_json::{Map, Value};

use super::{branch::Branch, node::Node};

/// Above this many parts a `oneOf` is not examined, because every pair is: it stays opaque.
const MAX_PARTS: usize = 50;

/// Whether no value can match two of `parts`, so that `oneOf` means the same as `anyOf`.
///
/// The answer `false` also means "not known". The parts are split by type only: taking apart nested
/// `anyOf` and `oneOf` here could recurse without end.
pub(super) fn are_disjoint(root: &Map<String, Value>, parts: &[Value]) -> bool {
    if parts.len() > MAX_PARTS {
        return false;
    }
    let parts: Vec<Vec<Branch<'_>>> =
        parts.iter().map(|part| Branch::split_types(root, Node::from_value(part))).collect();
    let exclude_each_other = |first: &Branch<'_>, second: &Branch<'_>| {
        first.json_type != second.json_type
            || has_distinct_values(first, second)
            || has_distinct_tags(root, first, second)
    };
    parts.iter().enumerate().all(|(index, first)| {
        let mut others = parts[index + 1..].iter().flatten();
        others.all(|second| first.iter().all(|branch| exclude_each_other(branch, second)))
    })
}

fn has_distinct_values(first: &Branch<'_>, second: &Branch<'_>) -> bool {
    match (&first.values, &second.values) {
        (Some(first), Some(second)) => first.iter().all(|value| !second.contains(value)),
        _ => false,
    }
}

/// Whether two objects have a discriminator: a property that both require and that has different
/// values in each, such as `{"kind": {"const": "file"}}`.
fn has_distinct_tags(root: &Map<String, Value>, first: &Branch<'_>, second: &Branch<'_>) -> bool {
    let is_required =
        |branch: &Branch<'_>, name: &str| branch.node.required().any(|own| own == name);
    first
        .node
        .property_names()
        // An optional discriminator decides nothing: an object without it could match both parts.
        .filter(|name| is_required(first, name) && is_required(second, name))
        .any(|name| match (tag_values(root, first, name), tag_values(root, second, name)) {
            (Some(first), Some(second)) => first.iter().all(|value| !second.contains(value)),
            _ => false,
        })
}

/// The values of a property, if all of them are enumerated.
fn tag_values<'a>(
    root: &'a Map<String, Value>,
    branch: &Branch<'a>,
    name: &str,
) -> Option<Vec<&'a Value>> {
    let property = branch.node.get("properties")?.get(name)?;
    let branches = Branch::split_types(root, Node::from_value(property));
    let values: Option<Vec<_>> = branches.into_iter().map(|branch| branch.values).collect();
    values.map(|values| values.into_iter().flatten().collect())
}

//! What values of a parameter become in R, told by its schema.

use catalog::implementation::{Atom, Encoding};
use serde_json::Value as Json;

/// What a value of this schema becomes in R.
pub(crate) fn encoding(schema: &Json) -> Encoding {
    match kinds(schema).as_slice() {
        ["array"] => of_items(&schema["items"]),
        ["object"] => Encoding::List,
        ["integer", "number"] | ["number", "integer"] => Encoding::Scalar(Atom::Double),
        [_] => atom(schema).map_or(Encoding::Any, Encoding::Scalar),
        // A single value or several of the same: R has no difference.
        [one, "array"] | ["array", one]
            if Some(*one) == kinds(&schema["items"]).first().copied() =>
        {
            of_items(&schema["items"])
        }
        _ => Encoding::Any,
    }
}

fn of_items(items: &Json) -> Encoding {
    match kinds(items).as_slice() {
        ["object"] => Encoding::DataFrame,
        ["array"] => atom(&items["items"]).map_or(Encoding::List, Encoding::Matrix),
        // Of several kinds of values, those that are given decide.
        [_, _, ..] => Encoding::Any,
        _ => atom(items).map_or(Encoding::List, Encoding::Vector),
    }
}

fn atom(schema: &Json) -> Option<Atom> {
    match (kinds(schema).as_slice(), schema["format"].as_str()) {
        (["string"], Some("date")) => Some(Atom::Date),
        (["string"], Some("date-time")) => Some(Atom::DateTime),
        (["string"], _) => Some(Atom::Character),
        (["integer"], _) => Some(Atom::Integer),
        (["number"], _) => Some(Atom::Double),
        (["boolean"], _) => Some(Atom::Logical),
        _ => None,
    }
}

/// The types, without `null`, which says nothing about the encoding.
fn kinds(schema: &Json) -> Vec<&str> {
    let kind = &schema["type"];
    let several = kind.as_array().into_iter().flatten().filter_map(Json::as_str);
    kind.as_str().into_iter().chain(several).filter(|kind| *kind != "null").collect()
}

#[cfg(test)]
mod tests {
    use catalog::implementation::{Atom, Encoding};
    use serde_json::json;

    use super::encoding;

    #[test]
    fn schemas_decide_what_values_become() {
        for (schema, expected) in [
            (json!({"type": "string"}), Encoding::Scalar(Atom::Character)),
            (json!({"type": ["integer", "null"]}), Encoding::Scalar(Atom::Integer)),
            (json!({"type": "string", "format": "date"}), Encoding::Scalar(Atom::Date)),
            (json!({"type": "array", "items": {"type": "number"}}), Encoding::Vector(Atom::Double)),
            (
                json!({"type": "array", "items": {"type": ["string", "null"]}}),
                Encoding::Vector(Atom::Character),
            ),
            (
                json!({"type": "array", "items": {"type": "array", "items": {"type": "number"}}}),
                Encoding::Matrix(Atom::Double),
            ),
            (json!({"type": "array", "items": {"type": "object"}}), Encoding::DataFrame),
            (json!({"type": "array", "items": {}}), Encoding::List),
            (json!({"type": "array", "items": {"type": ["number", "string"]}}), Encoding::Any),
            (
                json!({"type": ["string", "array"], "items": {"type": "string"}}),
                Encoding::Vector(Atom::Character),
            ),
            (json!({"type": "object"}), Encoding::List),
            (json!({}), Encoding::Any),
        ] {
            assert_eq!(encoding(&schema), expected, "{schema}");
        }
    }
}

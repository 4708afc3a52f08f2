//! Chooses the R type of a parameter's values from its schema.

use catalog::implementation::{Atom, Encoding};
use serde_json::Value as Json;

/// Chooses the R type of values that match `schema`. Without this R would have to guess: an array
/// of one string could become a character vector or a list, and `1` an integer or a double.
pub(crate) fn choose_encoding(schema: &Json) -> Encoding {
    match type_names(schema).as_slice() {
        ["array"] => encode_items(&schema["items"]),
        ["object"] => Encoding::List,
        ["integer", "number"] | ["number", "integer"] => Encoding::Scalar(Atom::Double),
        [_] => choose_atom(schema).map_or(Encoding::Any, Encoding::Scalar),
        // One value or an array of such values: R has no scalars, so both are a vector.
        [one, "array"] | ["array", one]
            if Some(*one) == type_names(&schema["items"]).first().copied() =>
        {
            encode_items(&schema["items"])
        }
        _ => Encoding::Any,
    }
}

fn encode_items(items: &Json) -> Encoding {
    match type_names(items).as_slice() {
        ["object"] => Encoding::DataFrame,
        ["array"] => choose_atom(&items["items"]).map_or(Encoding::List, Encoding::Matrix),
        // Items of several types: the values of each call decide.
        [_, _, ..] => Encoding::Any,
        _ => choose_atom(items).map_or(Encoding::List, Encoding::Vector),
    }
}

fn choose_atom(schema: &Json) -> Option<Atom> {
    match (type_names(schema).as_slice(), schema["format"].as_str()) {
        (["string"], Some("date")) => Some(Atom::Date),
        (["string"], Some("date-time")) => Some(Atom::DateTime),
        (["string"], _) => Some(Atom::Character),
        (["integer"], _) => Some(Atom::Integer),
        (["number"], _) => Some(Atom::Double),
        (["boolean"], _) => Some(Atom::Logical),
        _ => None,
    }
}

/// The types of a schema except for `null`: every R type has `NULL` or `NA`.
fn type_names(schema: &Json) -> Vec<&str> {
    let types = &schema["type"];
    let several = types.as_array().into_iter().flatten().filter_map(Json::as_str);
    types.as_str().into_iter().chain(several).filter(|name| *name != "null").collect()
}

#[cfg(test)]
mod tests {
    use catalog::implementation::{Atom, Encoding};
    use serde_json::json;

    use super::choose_encoding;

    #[test]
    fn the_schema_decides_the_r_type() {
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
            assert_eq!(choose_encoding(&schema), expected, "{schema}");
        }
    }
}

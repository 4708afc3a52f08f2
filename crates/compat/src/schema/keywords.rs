//! JSON Schema keywords, sorted by how they are compared.

/// Keywords whose meaning is compared: a [`Branch`](super::branch::Branch) can express them.
const COMPARED: [&str; 23] = [
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
];

/// Keywords that are only compared for equality.
///
/// They combine schemas by negation, intersection or conditions, for which inclusion is hard to
/// decide. `anyOf`, `oneOf`, `$ref` and `allOf` are opaque only where they appear next to other
/// keywords: [`resolve`](super::node::resolve) and [`Branch::split`](super::branch::Branch::split)
/// take them apart where they stand alone.
const OPAQUE: [&str; 22] = [
    "$ref",
    "$dynamicRef",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "contains",
    "minContains",
    "maxContains",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];

/// Keywords whose value is an object of schemas by name.
const SCHEMA_MAPS: [&str; 5] =
    ["properties", "patternProperties", "dependentSchemas", "dependentRequired", "dependencies"];

/// Whether `key` is only compared for equality.
pub(super) fn is_opaque(key: &str) -> bool {
    OPAQUE.contains(&key)
}

/// Whether `key` has no influence on which values are valid. JSON Schema treats unknown keywords as
/// annotations (Core 2020-12, section 6.5), and so does this.
pub(super) fn is_annotation(key: &str) -> bool {
    !COMPARED.contains(&key) && !OPAQUE.contains(&key)
}

/// Whether the value of `key` is an object of schemas by name.
pub(super) fn is_schema_map(key: &str) -> bool {
    SCHEMA_MAPS.contains(&key)
}

//! A schema as a union of branches, each for one JSON type.
//!
//! Type lists, `anyOf`, disjoint `oneOf`, references and enumerations all become branches, so that
//! two schemas are compared by what they accept and not by how they are written:
//! `["string", "null"]`, `anyOf` of both and a reference to either are the same two branches.
//! Keywords that a branch cannot express stay in its node, where they are only compared for
//! equality.

use serde_json::{Map, Value};

use super::{
    disjoint::are_disjoint,
    node::{Node, accepts, resolve},
};

/// Above this many alternatives the rest stay together and are compared for equality. A recursive
/// `anyOf` would otherwise expand without end.
const MAX_ALTERNATIVES: usize = 500;

/// A JSON type. Integers are numbers with [`Branch::integers_only`], because every integer is also
/// a number and the two overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum JsonType {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl JsonType {
    pub(super) const ALL: [Self; 6] =
        [Self::Null, Self::Boolean, Self::Number, Self::String, Self::Array, Self::Object];

    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|json_type| json_type.name() == name)
            .or_else(|| (name == "integer").then_some(Self::Number))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// Whether the type has so few values that listing them is the same as naming the type.
    fn is_finite(self) -> bool {
        matches!(self, Self::Null | Self::Boolean)
    }
}

/// One branch of a schema: the values of one type that it accepts.
#[derive(Clone, Debug)]
pub(super) struct Branch<'a> {
    pub(super) json_type: JsonType,
    /// For numbers: whether only integers are valid.
    pub(super) integers_only: bool,
    /// The valid values, if the schema enumerates them.
    pub(super) values: Option<Vec<&'a Value>>,
    /// The schema with the other keywords.
    pub(super) node: Node<'a>,
}

impl<'a> Branch<'a> {
    /// Splits a schema into its branches, sorted by type. All enumerated values of a type are in
    /// one branch.
    pub(super) fn split(root: &'a Map<String, Value>, node: Node<'a>) -> Vec<Self> {
        let (mut branches, mut budget) = (Vec::new(), MAX_ALTERNATIVES);
        collect_branches(root, node, &mut budget, &mut branches);
        // A stable sort: alternatives of one type keep their order, so messages list them as
        // written.
        branches.sort_by_key(|branch| branch.json_type);
        merge_values(branches)
    }

    /// Splits a schema by its types and values only, leaving `anyOf` and `oneOf` together.
    pub(super) fn split_types(root: &'a Map<String, Value>, node: Node<'a>) -> Vec<Self> {
        let mut branches = Vec::new();
        collect_types(root, resolve(root, node), &mut branches);
        branches
    }

    /// The name of the type in a schema.
    pub(super) fn type_name(&self) -> &'static str {
        if self.integers_only { "integer" } else { self.json_type.name() }
    }
}

fn collect_branches<'a>(
    root: &'a Map<String, Value>,
    node: Node<'a>,
    budget: &mut usize,
    branches: &mut Vec<Branch<'a>>,
) {
    let node = resolve(root, node);
    // The budget is shared by all levels: a limit for each level would still allow its power.
    match alternatives(root, node).filter(|parts| parts.len() <= *budget) {
        Some(parts) => {
            *budget -= parts.len();
            for part in parts {
                collect_branches(root, Node::from_value(part), budget, branches);
            }
        }
        None => collect_types(root, node, branches),
    }
}

/// The alternatives of a schema that consists of nothing else.
///
/// `oneOf` accepts a value that matches exactly one part. It is a union only if no value can match
/// two parts; otherwise widening a part can make a value invalid, and the keyword stays opaque.
fn alternatives<'a>(root: &'a Map<String, Value>, node: Node<'a>) -> Option<&'a Vec<Value>> {
    match (node.get("anyOf"), node.get("oneOf")) {
        (Some(Value::Array(parts)), None) if node.has_only(&["anyOf"]) => Some(parts),
        (None, Some(Value::Array(parts)))
            if node.has_only(&["oneOf"]) && are_disjoint(root, parts) =>
        {
            Some(parts)
        }
        _ => None,
    }
}

/// Adds the branches of a schema by its types and values.
fn collect_types<'a>(root: &'a Map<String, Value>, node: Node<'a>, branches: &mut Vec<Branch<'a>>) {
    if let Node::Nothing = node {
        return;
    }
    let types = declared_types(node);
    // `["integer", "number"]` is `number`.
    let integers_only = |json_type: JsonType| {
        json_type == JsonType::Number
            && !types.is_empty()
            && types.iter().all(|(own, is_integer)| *own != json_type || *is_integer)
    };
    let is_declared =
        |json_type: JsonType| types.is_empty() || types.iter().any(|(own, _)| *own == json_type);
    let enumerated = enumerated_values(root, node);
    for json_type in JsonType::ALL.into_iter().filter(|json_type| is_declared(*json_type)) {
        let Some(enumerated) = &enumerated else {
            let integers_only = integers_only(json_type);
            branches.push(Branch { json_type, integers_only, values: None, node });
            continue;
        };
        let values: Vec<&Value> =
            enumerated.iter().copied().filter(|value| JsonType::of(value) == json_type).collect();
        if values.is_empty() {
            continue;
        }
        // `{"enum": [1, 2]}` has no type but accepts integers only.
        let integers_only = integers_only(json_type)
            || json_type == JsonType::Number && values.iter().all(|value| !value.is_f64());
        let values = Some(values).filter(|values| !covers_type(json_type, values));
        // A list of all values of a type (`[true, false]`) is the type itself, not a restriction.
        branches.push(Branch { json_type, integers_only, values, node });
    }
}

/// The types that a schema declares, and whether the number type is `integer`. Empty if the schema
/// accepts every type.
fn declared_types(node: Node<'_>) -> Vec<(JsonType, bool)> {
    let names: Vec<&str> = match node.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    names.iter().filter_map(|name| Some((JsonType::from_name(name)?, *name == "integer"))).collect()
}

/// The values of `const` or `enum` that the other keywords of the schema accept too.
fn enumerated_values<'a>(root: &'a Map<String, Value>, node: Node<'a>) -> Option<Vec<&'a Value>> {
    let (key, values) = match (node.get("const"), node.get("enum")) {
        // If a schema has both, `const` wins; whether `enum` contains it is checked below like any
        // other keyword.
        (Some(value), _) => ("const", vec![value]),
        (None, Some(Value::Array(values))) => ("enum", values.iter().collect()),
        _ => return None,
    };
    // Compiling a validator is slow, and unnecessary where only the type restricts the values:
    // branches are built by type anyway.
    if node.has_only(&["type", key]) {
        return Some(values);
    }
    Some(values.into_iter().filter(|value| accepts(root, node, value)).collect())
}

/// Whether `values` are all values of the type.
fn covers_type(json_type: JsonType, values: &[&Value]) -> bool {
    let has = |wanted: bool| values.iter().any(|value| **value == Value::Bool(wanted));
    json_type == JsonType::Null || json_type == JsonType::Boolean && has(true) && has(false)
}

/// Merges the branches of a type that only enumerate values into one, so that
/// `anyOf: [{const: "a"}, {const: "b"}]` is the same as `enum: ["a", "b"]`.
fn merge_values(branches: Vec<Branch<'_>>) -> Vec<Branch<'_>> {
    let mut merged: Vec<Branch<'_>> = Vec::new();
    for branch in branches {
        let is_list = |branch: &Branch<'_>| branch.values.is_some() || branch.json_type.is_finite();
        let same = merged
            .iter_mut()
            .find(|other| other.json_type == branch.json_type && is_list(other))
            .filter(|_| is_list(&branch));
        match same {
            Some(other) => {
                // The union accepts fractions as soon as one part does.
                other.integers_only &= branch.integers_only;
                // A finite type without values is complete, and stays complete.
                let json_type = other.json_type;
                other.values = other
                    .values
                    .take()
                    .zip(branch.values)
                    .map(|(all, more)| [all, more].concat())
                    .filter(|values| !covers_type(json_type, values));
            }
            None => merged.push(branch),
        }
    }
    merged
}

//! A schema as a union of simple ones: each of one kind of value, with the keywords that are about that kind.
//!
//! Lists of types, alternatives, references and enumerations all become arms, so that two schemas that are written in
//! different ways are compared by what they take. Keywords that no arm can express stay behind as conditions, which are
//! only compared for being the same.

use catalog::{Schema, pointer};
use serde_json::{Map, Value};

/// References that lead to references are not followed further than this.
const LONGEST: usize = 32;
/// No more alternatives than this are taken apart; what refers to itself has no end of them.
const MOST_PARTS: usize = 500;
/// Among no more alternatives than this is looked whether exactly one and at least one are the same.
const MOST_APART: usize = 50;

/// What schemas say beside what they take.
const ANNOTATIONS: [&str; 14] = [
    "$schema",
    "$id",
    "$comment",
    "$anchor",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// Keywords whose meaning is not looked into.
const CONDITIONS: [&str; 22] = [
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

/// Keywords that an arm can express.
const SIMPLE: [&str; 23] = [
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

/// Whether a schema is `{"not": {}}`, which is how servers list `false`.
fn is_nothing(schema: &Map<String, Value>) -> bool {
    let not = schema.get("not").and_then(Value::as_object);
    schema.len() == 1 && not.is_some_and(Map::is_empty)
}

/// A schema: an object, or one that takes everything or nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node<'a> {
    Everything,
    Nothing,
    Object(&'a Map<String, Value>),
}

impl<'a> Node<'a> {
    pub(crate) fn of(value: &'a Value) -> Self {
        match value {
            Value::Object(object) if is_nothing(object) => Self::Nothing,
            Value::Object(object) => Self::Object(object),
            Value::Bool(false) => Self::Nothing,
            _ => Self::Everything,
        }
    }

    pub(crate) fn get(self, key: &str) -> Option<&'a Value> {
        match self {
            Self::Object(object) => object.get(key),
            Self::Everything | Self::Nothing => None,
        }
    }

    /// Where it is: what takes everything is nowhere.
    pub(crate) fn address(self) -> *const Map<String, Value> {
        match self {
            Self::Object(object) => object,
            Self::Everything | Self::Nothing => std::ptr::null(),
        }
    }

    /// The schema of a part, which is anything if it is not given.
    pub(crate) fn part(self, key: &str) -> Self {
        self.get(key).map_or(Self::Everything, Self::of)
    }

    /// The keywords whose meaning is not looked into.
    pub(crate) fn conditions(self) -> Vec<(&'a str, &'a Value)> {
        let all = match self {
            Self::Object(object) => Some(object.iter()),
            Self::Everything | Self::Nothing => None,
        };
        all.into_iter()
            .flatten()
            .filter(|(key, _)| CONDITIONS.contains(&key.as_str()))
            .map(|(key, value)| (key.as_str(), value))
            .collect()
    }

    fn says_only(self, allowed: &[&str]) -> bool {
        let Self::Object(object) = self else {
            return true;
        };
        let is_weighty = |key: &str| SIMPLE.contains(&key) || CONDITIONS.contains(&key);
        object.keys().all(|key| !is_weighty(key) || allowed.contains(&key.as_str()))
    }
}

/// Whether a keyword only tells something.
pub(crate) fn is_annotation(key: &str) -> bool {
    ANNOTATIONS.contains(&key) || !SIMPLE.contains(&key) && !CONDITIONS.contains(&key)
}

/// A kind of JSON value. Whole numbers are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    pub(crate) const ALL: [Self; 6] =
        [Self::Null, Self::Boolean, Self::Number, Self::String, Self::Array, Self::Object];

    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .or_else(|| (name == "integer").then_some(Self::Number))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// One of the alternatives of a schema.
#[derive(Clone, Debug)]
pub(crate) struct Arm<'a> {
    pub(crate) kind: Kind,
    /// Of numbers: whether only whole ones.
    pub(crate) is_whole: bool,
    /// The only values, if they are listed.
    pub(crate) values: Option<Vec<&'a Value>>,
    /// Where its keywords are.
    pub(crate) node: Node<'a>,
}

impl Arm<'_> {
    /// What it is called: a type.
    pub(crate) fn name(&self) -> &'static str {
        if self.is_whole { "integer" } else { self.kind.name() }
    }
}

/// Follows references as long as nothing else stands beside them.
pub(crate) fn resolved<'a>(root: &'a Map<String, Value>, node: Node<'a>) -> Node<'a> {
    let mut node = node;
    for _ in 0..LONGEST {
        let next = match (node.get("$ref"), node.get("allOf")) {
            (Some(Value::String(target)), None) if node.says_only(&["$ref"]) => find(root, target),
            (None, Some(Value::Array(parts))) if parts.len() == 1 && node.says_only(&["allOf"]) => {
                Some(Node::of(&parts[0]))
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

/// What a reference inside the same schema leads to.
pub(crate) fn find<'a>(root: &'a Map<String, Value>, target: &str) -> Option<Node<'a>> {
    let mut steps = pointer::tokens(target.strip_prefix('#')?);
    let Some(first) = steps.next() else {
        return Some(Node::Object(root));
    };
    let value = steps.try_fold(root.get(&*first)?, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        value => value.get(&*step),
    })?;
    Some(Node::of(value))
}

/// The arms of a schema, ordered by kind, with all listed values of one kind in one arm.
pub(crate) fn arms<'a>(root: &'a Map<String, Value>, node: Node<'a>) -> Vec<Arm<'a>> {
    let (mut found, mut left) = (Vec::new(), MOST_PARTS);
    collect(root, node, &mut left, &mut found);
    found.sort_by_key(|arm| arm.kind);
    join_values(found)
}

fn collect<'a>(
    root: &'a Map<String, Value>,
    node: Node<'a>,
    left: &mut usize,
    into: &mut Vec<Arm<'a>>,
) {
    let node = resolved(root, node);
    match alternatives(root, node).filter(|parts| parts.len() <= *left) {
        Some(parts) => {
            *left -= parts.len();
            parts.iter().for_each(|part| collect(root, Node::of(part), left, into));
        }
        None => simple(root, node, into),
    }
}

/// The alternatives of a schema that says nothing else.
fn alternatives<'a>(root: &'a Map<String, Value>, node: Node<'a>) -> Option<&'a Vec<Value>> {
    match (node.get("anyOf"), node.get("oneOf")) {
        (Some(Value::Array(parts)), None) if node.says_only(&["anyOf"]) => Some(parts),
        (None, Some(Value::Array(parts)))
            if node.says_only(&["oneOf"]) && are_apart(root, parts) =>
        {
            Some(parts)
        }
        _ => None,
    }
}

/// Whether no value fits two of these: then exactly one and at least one are the same.
fn are_apart(root: &Map<String, Value>, parts: &[Value]) -> bool {
    if parts.len() > MOST_APART {
        return false;
    }
    let arms: Vec<Vec<Arm<'_>>> = parts.iter().map(|part| flat(root, Node::of(part))).collect();
    let is_apart = |a: &Arm<'_>, b: &Arm<'_>| {
        a.kind != b.kind
            || are_distinct(a.values.as_deref(), b.values.as_deref())
            || are_tagged_apart(root, a, b)
    };
    arms.iter().enumerate().all(|(at, first)| {
        arms[at + 1..]
            .iter()
            .all(|second| first.iter().all(|a| second.iter().all(|b| is_apart(a, b))))
    })
}

/// The arms of a schema, alternatives inside it not taken apart.
fn flat<'a>(root: &'a Map<String, Value>, node: Node<'a>) -> Vec<Arm<'a>> {
    let mut found = Vec::new();
    simple(root, resolved(root, node), &mut found);
    found
}

fn are_distinct(first: Option<&[&Value]>, second: Option<&[&Value]>) -> bool {
    first
        .zip(second)
        .is_some_and(|(first, second)| first.iter().all(|value| !second.contains(value)))
}

/// Whether two objects must have one property with other values.
fn are_tagged_apart(root: &Map<String, Value>, a: &Arm<'_>, b: &Arm<'_>) -> bool {
    let required = |arm: &Arm<'_>, name: &str| {
        arm.node
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|names| names.iter().any(|own| own == name))
    };
    let values = |arm: &Arm<'_>, name: &str| -> Option<Vec<Value>> {
        let property = arm.node.get("properties")?.get(name)?;
        let arms = flat(root, Node::of(property));
        arms.iter()
            .map(|arm| arm.values.as_ref())
            .collect::<Option<Vec<_>>>()
            .map(|all| all.into_iter().flatten().map(|value| (*value).clone()).collect())
    };
    let names = a.node.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    names.into_iter().filter(|name| required(a, name) && required(b, name)).any(|name| {
        values(a, name)
            .zip(values(b, name))
            .is_some_and(|(first, second)| first.iter().all(|value| !second.contains(value)))
    })
}

/// The arms of a schema by its types and values.
fn simple<'a>(root: &'a Map<String, Value>, node: Node<'a>, into: &mut Vec<Arm<'a>>) {
    if let Node::Nothing = node {
        return;
    }
    let types = types(node);
    let whole = |kind: Kind| {
        kind == Kind::Number
            && types.iter().all(|(own, is_whole)| *own != kind || *is_whole)
            && !types.is_empty()
    };
    let admitted = |kind: Kind| types.is_empty() || types.iter().any(|(own, _)| *own == kind);
    let listed = listed(root, node);
    for kind in Kind::ALL.into_iter().filter(|kind| admitted(*kind)) {
        let Some(listed) = &listed else {
            into.push(Arm { kind, is_whole: whole(kind), values: None, node });
            continue;
        };
        let own: Vec<&Value> =
            listed.iter().copied().filter(|value| Kind::of(value) == kind).collect();
        let is_whole =
            whole(kind) || kind == Kind::Number && own.iter().all(|value| !value.is_f64());
        if !own.is_empty() {
            into.push(Arm {
                kind,
                is_whole,
                values: Some(own).filter(|own| !is_whole_kind(kind, own)),
                node,
            });
        }
    }
}

/// The types that a schema names, and whether only whole numbers are meant; none if it takes all.
fn types(node: Node<'_>) -> Vec<(Kind, bool)> {
    let names: Vec<&str> = match node.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    names.iter().filter_map(|name| Some((Kind::named(name)?, *name == "integer"))).collect()
}

/// The only values that fit a schema, if it lists them.
fn listed<'a>(root: &'a Map<String, Value>, node: Node<'a>) -> Option<Vec<&'a Value>> {
    let values = match (node.get("const"), node.get("enum")) {
        (Some(value), _) => vec![value],
        (None, Some(Value::Array(values))) => values.iter().collect(),
        _ => return None,
    };
    let is_plain =
        node.says_only(&["type", if node.get("const").is_some() { "const" } else { "enum" }]);
    let fits = |value: &&Value| is_plain || fits(root, node, value);
    Some(values.into_iter().filter(fits).collect())
}

/// Whether a value fits a schema.
pub(crate) fn fits(root: &Map<String, Value>, node: Node<'_>, value: &Value) -> bool {
    let Node::Object(object) = node else {
        return matches!(node, Node::Everything);
    };
    let mut object = object.clone();
    for key in ["$defs", "definitions"] {
        if let Some(definitions) = root.get(key) {
            object.insert(key.to_owned(), definitions.clone());
        }
    }
    Schema::new(object).validator().is_ok_and(|validator| validator.is_valid(value))
}

/// Whether values are all that there are of a kind.
fn is_whole_kind(kind: Kind, values: &[&Value]) -> bool {
    let has = |value: bool| values.iter().any(|own| **own == Value::Bool(value));
    kind == Kind::Null || kind == Kind::Boolean && has(true) && has(false)
}

/// Puts the listed values of one kind together; `null` and the two truth values are listed by nature.
fn join_values(arms: Vec<Arm<'_>>) -> Vec<Arm<'_>> {
    let mut joined: Vec<Arm<'_>> = Vec::new();
    for arm in arms {
        let is_bare = arm.values.is_some() || matches!(arm.kind, Kind::Null | Kind::Boolean);
        let same = joined.iter_mut().find(|other| {
            other.kind == arm.kind
                && (other.values.is_some() || matches!(arm.kind, Kind::Null | Kind::Boolean))
        });
        match (same, is_bare) {
            (Some(other), true) => {
                other.is_whole &= arm.is_whole;
                other.values = other.values.take().zip(arm.values).map(|(mut all, more)| {
                    all.extend(more);
                    all
                });
            }
            _ => joined.push(arm),
        }
    }
    joined
}

//! The types that a parameter may have.

use catalog::closest;

use super::rules::parameter::UNKNOWN_TYPE;
use crate::{
    json::{Node, Value},
    object::{Object, did_you_mean},
    report::Report,
};

/// The type of a parameter or of an array's items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
}

const KINDS: [(&str, Kind); 6] = [
    ("string", Kind::String),
    ("integer", Kind::Integer),
    ("number", Kind::Number),
    ("boolean", Kind::Boolean),
    ("array", Kind::Array),
    ("object", Kind::Object),
];

/// Names of types in other languages, which authors often use by mistake.
const FOREIGN: [(&str, &str); 11] = [
    ("bool", "boolean"),
    ("int", "integer"),
    ("long", "integer"),
    ("str", "string"),
    ("text", "string"),
    ("float", "number"),
    ("double", "number"),
    ("list", "array"),
    ("dict", "object"),
    ("map", "object"),
    ("path", "string"),
];

impl Kind {
    /// The type of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    pub(crate) fn as_str(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("string", |(name, _)| name)
    }

    /// Reads the field `type`; reports an unknown type.
    pub(crate) fn read(object: &Object<'_, '_>, report: &mut Report) -> Option<Self> {
        let name = object.text("type", report)?;
        let kind = Self::named(name);
        if kind.is_none() {
            let foreign = FOREIGN
                .iter()
                .find(|(word, _)| word.eq_ignore_ascii_case(name))
                .map(|(_, kind)| *kind);
            let near = foreign.or_else(|| closest(name, KINDS.map(|(name, _)| name)));
            let expected = "one of `string`, `integer`, `number`, `boolean`, `array`, `object`";
            let hint = near.map_or_else(|| format!("use {expected}"), did_you_mean);
            let problem = report.at_value(
                &UNKNOWN_TYPE,
                &object.at.key("type"),
                format!("`{name}` is not a type"),
            );
            report.push(problem.expected(expected).received(name).hint(hint));
        }
        kind
    }

    /// Whether a value has this type.
    pub(crate) fn admits(self, node: &Node<'_>) -> bool {
        match (self, &node.value) {
            (Self::Integer, Value::Number(number)) => {
                number.is_i64()
                    || number.is_u64()
                    || number.as_f64().is_some_and(|value| value.fract() == 0.0)
            }
            (Self::String, Value::String(_))
            | (Self::Number, Value::Number(_))
            | (Self::Boolean, Value::Bool(_))
            | (Self::Array, Value::Array(_))
            | (Self::Object, Value::Object(_)) => true,
            _ => false,
        }
    }
}

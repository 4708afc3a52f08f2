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
pub(crate) enum ParameterType {
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
}

const TYPES: [(&str, ParameterType); 6] = [
    ("string", ParameterType::String),
    ("integer", ParameterType::Integer),
    ("number", ParameterType::Number),
    ("boolean", ParameterType::Boolean),
    ("array", ParameterType::Array),
    ("object", ParameterType::Object),
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

impl ParameterType {
    /// The type of this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        TYPES.iter().find(|(known, _)| *known == name).map(|(_, found)| *found)
    }

    pub(crate) fn as_str(self) -> &'static str {
        TYPES.iter().find(|(_, known)| *known == self).map_or("string", |(name, _)| name)
    }

    /// Reads the field `type`; reports an unknown type.
    pub(crate) fn read(object: &Object<'_, '_>, report: &mut Report) -> Option<Self> {
        let name = object.text("type", report)?;
        let found = Self::from_name(name);
        if found.is_none() {
            let foreign = FOREIGN
                .iter()
                .find(|(word, _)| word.eq_ignore_ascii_case(name))
                .map(|(_, name)| *name);
            let near = foreign.or_else(|| closest(name, TYPES.map(|(name, _)| name)));
            let expected = "one of `string`, `integer`, `number`, `boolean`, `array`, `object`";
            let hint = near.map_or_else(|| format!("use {expected}"), did_you_mean);
            let problem = report.at_value(
                &UNKNOWN_TYPE,
                &object.at.key("type"),
                format!("`{name}` is not a type"),
            );
            report.push(problem.with_expected(expected).with_received(name).hint(hint));
        }
        found
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

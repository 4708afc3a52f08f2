//! The type of a constant, and a constant as a JSON value of a given type.

use formats::type_phrase::ValueType;
use serde_json::{Map, Number, Value as Json, json};

use super::Constant;

impl Constant {
    /// The type that the constant has by itself. A vector is an array of the type that R would
    /// coerce its elements to: text before numbers before integers before logicals.
    pub(crate) fn value_type(&self) -> Option<ValueType> {
        match self {
            Self::Bool(_) => Some(ValueType::Boolean),
            Self::Integer(_) => Some(ValueType::Integer),
            Self::Number(_) => Some(ValueType::Number),
            Self::Text(_) => Some(ValueType::Text),
            Self::List(items) => Some(list_type(items)),
            Self::Vector(items) => {
                let types: Vec<_> = items.iter().filter_map(Self::value_type).collect();
                let coerced =
                    [ValueType::Text, ValueType::Number, ValueType::Integer, ValueType::Boolean]
                        .into_iter()
                        .find(|candidate| types.contains(candidate));
                // `c("a")` is the same R value as `"a"`.
                coerced.map(|element| if items.len() == 1 { element } else { element.array() })
            }
            Self::Missing(value_type) | Self::Computed(value_type) => value_type.clone(),
            Self::Empty(element) => Some(element.clone().array()),
            Self::Null => None,
        }
    }

    /// The constant as a JSON value of `value_type`, or `None` if it does not fit.
    pub(crate) fn to_json(&self, value_type: &ValueType) -> Option<Json> {
        match (value_type, self) {
            (ValueType::Text | ValueType::Date | ValueType::DateTime, Self::Text(text)) => {
                Some(text.as_str().into())
            }
            (ValueType::Number, Self::Number(number) | Self::Integer(number)) => {
                Some(number.clone().into())
            }
            (ValueType::Integer, Self::Number(number) | Self::Integer(number)) => {
                to_whole(number).map(Json::from)
            }
            (ValueType::Boolean, Self::Bool(value)) => Some((*value).into()),
            (ValueType::Object, Self::List(items)) => to_object(items),
            // `list()` is how authors write "no rows".
            (ValueType::Rows, Self::List(items)) if items.is_empty() => Some(json!([])),
            (ValueType::Array(element), Self::Vector(items)) => coerce_all(items, element),
            (ValueType::Array(element), Self::List(items)) => items
                .iter()
                .map(|(_, item)| item.to_json(element))
                .collect::<Option<Vec<_>>>()
                .map(Json::Array),
            (ValueType::Array(_), Self::Empty(_)) => Some(json!([])),
            // R has no scalars: one value is a vector of length one.
            (ValueType::Array(element), scalar) => {
                scalar.to_json(element).map(|value| Json::Array(vec![value]))
            }
            (scalar, Self::Vector(items)) if items.len() == 1 => items[0].to_json(scalar),
            _ => None,
        }
    }
}

/// An unnamed list whose items share one type is an array; any other list is an object.
fn list_type(items: &[(Option<String>, Constant)]) -> ValueType {
    let mut types: Vec<_> =
        items.iter().map(|(name, item)| item.value_type().filter(|_| name.is_none())).collect();
    // Equal neighbours collapse, so one entry is left if all items have the same type.
    types.dedup();
    match types.as_slice() {
        [Some(element)] => element.clone().array(),
        _ => ValueType::Object,
    }
}

/// The elements of `c(…)`, coerced to one type as `c` does.
fn coerce_all(items: &[Constant], element: &ValueType) -> Option<Json> {
    let has_text = items.iter().any(|item| matches!(item, Constant::Text(_)));
    let has_number =
        items.iter().any(|item| matches!(item, Constant::Integer(_) | Constant::Number(_)));
    let coerce = |item: &Constant| match item {
        _ if *element == ValueType::Text && has_text => Some(coerce_to_text(item)),
        // `c(TRUE, 2)` is `c(1, 2)` in R.
        Constant::Bool(value) if has_number => Some(i32::from(*value).into()),
        item => item.to_json(element),
    };
    items.iter().map(coerce).collect::<Option<Vec<_>>>().map(Json::Array)
}

fn coerce_to_text(item: &Constant) -> Json {
    match item {
        Constant::Text(text) => text.as_str().into(),
        Constant::Bool(value) => if *value { "TRUE" } else { "FALSE" }.into(),
        Constant::Integer(number) | Constant::Number(number) => number.to_string().into(),
        _ => Json::Null,
    }
}

/// The number if it is whole: `20` and `20.0`, not `20.5`.
fn to_whole(number: &Number) -> Option<Number> {
    // Constants are folded to integers where they are whole, so a float has a fraction.
    (!number.is_f64()).then(|| number.clone())
}

/// A named list as an object. JSON has no place for an item without a name.
fn to_object(items: &[(Option<String>, Constant)]) -> Option<Json> {
    let members = items.iter().map(|(name, item)| Some((name.clone()?, to_any_json(item)?)));
    members.collect::<Option<Map<_, _>>>().map(Json::Object)
}

/// A constant inside a list, where no type is expected.
fn to_any_json(item: &Constant) -> Option<Json> {
    match item {
        Constant::Null => Some(Json::Null),
        Constant::List(items)
            if !items.is_empty() && items.iter().all(|(name, _)| name.is_none()) =>
        {
            items
                .iter()
                .map(|(_, item)| to_any_json(item))
                .collect::<Option<Vec<_>>>()
                .map(Json::Array)
        }
        item => item.value_type().and_then(|value_type| item.to_json(&value_type)),
    }
}

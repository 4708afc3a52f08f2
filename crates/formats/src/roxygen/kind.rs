//! The types that documentation speaks of, as schemas.

use serde_json::{Map, Number, Value as Json, json};

use super::constant::Constant;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number,
    Integer,
    Boolean,
    Date,
    DateTime,
    /// A list with names, or anything that has parts.
    Object,
    /// A data frame: rows of named values.
    Rows,
    Array(Box<Kind>),
}

impl Kind {
    pub(crate) fn array(self) -> Self {
        Self::Array(Box::new(self))
    }

    /// Whether it is a single value.
    pub(crate) fn is_atom(&self) -> bool {
        !matches!(self, Self::Object | Self::Rows | Self::Array(_))
    }

    /// The word of JSON Schema for it.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Text | Self::Date | Self::DateTime => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Rows | Self::Array(_) => "array",
        }
    }

    pub(crate) fn format(&self) -> Option<&'static str> {
        match self {
            Self::Date => Some("date"),
            Self::DateTime => Some("date-time"),
            _ => None,
        }
    }

    /// What an array is made of.
    pub(crate) fn items(&self) -> Option<Json> {
        match self {
            Self::Rows => Some(json!({"type": "object"})),
            Self::Array(kind) => Some(kind.schema()),
            _ => None,
        }
    }

    /// The whole schema.
    pub(crate) fn schema(&self) -> Json {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), self.word().into());
        schema.extend(self.format().map(|format| ("format".to_owned(), format.into())));
        schema.extend(self.items().map(|items| ("items".to_owned(), items)));
        Json::Object(schema)
    }

    /// The type that a default has by itself. A vector is an array of what its values have in common.
    pub(crate) fn of(value: &Constant) -> Option<Self> {
        match value {
            Constant::Bool(_) => Some(Self::Boolean),
            Constant::Integer(_) => Some(Self::Integer),
            Constant::Number(_) => Some(Self::Number),
            Constant::Text(_) => Some(Self::Text),
            Constant::List(items) => Some(Self::of_list(items)),
            Constant::Vector(items) => {
                let kinds: Vec<_> = items.iter().filter_map(Self::of).collect();
                let widest = [Self::Text, Self::Number, Self::Integer, Self::Boolean]
                    .into_iter()
                    .find(|kind| kinds.contains(kind));
                widest.map(|kind| match items.len() {
                    1 => kind,
                    _ => kind.array(),
                })
            }
            Constant::Missing(kind) => kind.clone(),
            Constant::Empty(kind) => Some(kind.clone().array()),
            Constant::Computed(kind) => kind.clone(),
            Constant::Null => None,
        }
    }

    /// A list without names whose items are of one type is an array.
    fn of_list(items: &[(Option<String>, Constant)]) -> Self {
        let mut kinds: Vec<_> =
            items.iter().map(|(name, item)| Self::of(item).filter(|_| name.is_none())).collect();
        kinds.dedup();
        match kinds.as_slice() {
            [Some(kind)] => kind.clone().array(),
            _ => Self::Object,
        }
    }

    /// A constant as a value of this type, if it is one.
    pub(crate) fn value(&self, constant: &Constant) -> Option<Json> {
        match (self, constant) {
            (Self::Text | Self::Date | Self::DateTime, Constant::Text(text)) => {
                Some(text.as_str().into())
            }
            (Self::Number, Constant::Number(number) | Constant::Integer(number)) => {
                Some(number.clone().into())
            }
            (Self::Integer, Constant::Number(number) | Constant::Integer(number)) => {
                whole(number).map(Json::from)
            }
            (Self::Boolean, Constant::Bool(value)) => Some((*value).into()),
            (Self::Object, Constant::List(items)) => members(items),
            (Self::Rows, Constant::List(items)) if items.is_empty() => Some(json!([])),
            (Self::Array(kind), Constant::Vector(items)) => {
                let is_text = **kind == Self::Text
                    && items.iter().any(|item| matches!(item, Constant::Text(_)));
                let is_number = items
                    .iter()
                    .any(|item| matches!(item, Constant::Integer(_) | Constant::Number(_)));
                let value = |item: &Constant| match item {
                    _ if is_text => Some(coerced(item)),
                    Constant::Bool(value) if is_number => Some(i32::from(*value).into()),
                    item => kind.value(item),
                };
                items.iter().map(value).collect::<Option<Vec<_>>>().map(Json::Array)
            }
            (Self::Array(kind), Constant::List(items)) => items
                .iter()
                .map(|(_, item)| kind.value(item))
                .collect::<Option<Vec<_>>>()
                .map(Json::Array),
            (Self::Array(_), Constant::Empty(_)) => Some(json!([])),
            (Self::Array(kind), scalar) => kind.value(scalar).map(|value| Json::Array(vec![value])),
            (scalar, Constant::Vector(items)) if items.len() == 1 => scalar.value(&items[0]),
            _ => None,
        }
    }
}

/// `20` and `20.0`, not `20.5`.
fn whole(number: &Number) -> Option<Number> {
    (!number.is_f64()).then(|| number.clone())
}

/// What R makes of a value beside text in one vector.
fn coerced(item: &Constant) -> Json {
    match item {
        Constant::Text(text) => text.as_str().into(),
        Constant::Bool(value) => if *value { "TRUE" } else { "FALSE" }.into(),
        Constant::Integer(number) | Constant::Number(number) => number.to_string().into(),
        _ => Json::Null,
    }
}

/// A list as an object; one whose items have no names is none.
fn members(items: &[(Option<String>, Constant)]) -> Option<Json> {
    let found = items.iter().map(|(name, item)| Some((name.clone()?, any(item)?)));
    found.collect::<Option<Map<_, _>>>().map(Json::Object)
}

fn any(item: &Constant) -> Option<Json> {
    match item {
        Constant::Null => Some(Json::Null),
        Constant::List(items)
            if items.iter().all(|(name, _)| name.is_none()) && !items.is_empty() =>
        {
            items.iter().map(|(_, item)| any(item)).collect::<Option<Vec<_>>>().map(Json::Array)
        }
        item => Kind::of(item).and_then(|kind| kind.value(item)),
    }
}

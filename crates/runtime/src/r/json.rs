//! From R to JSON. R has no single values and no objects, so what a tool says about its result
//! decides: whether a vector of one is a value or an array, whether a data frame is rows or columns.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Number, Value};

use super::{
    time,
    value::{Data, NA_INTEGER, RValue},
};

/// The member of a row that has its name, as R's packages for JSON call it.
const ROW: &str = "_row";

/// What is expected of a value: a schema, or nothing.
#[derive(Clone, Copy)]
pub(crate) struct Expected<'a>(Option<&'a Map<String, Value>>);

impl<'a> Expected<'a> {
    /// Nothing is said.
    pub(crate) const NOTHING: Self = Self(None);

    /// What a schema says.
    pub(crate) fn by(schema: &'a Map<String, Value>) -> Self {
        Self(Some(schema))
    }

    /// Whether a type is named.
    fn names(self, kind: &str) -> bool {
        match self.0.and_then(|schema| schema.get("type")) {
            Some(Value::String(one)) => one == kind,
            Some(Value::Array(several)) => several.iter().any(|one| one == kind),
            _ => false,
        }
    }

    fn names_one_of(self, kinds: &[&str]) -> bool {
        kinds.iter().any(|kind| self.names(kind))
    }

    pub(crate) fn wants_array(self) -> bool {
        self.names("array") && !self.names_one_of(&["string", "number", "integer", "boolean"])
    }

    /// Whether a data frame is to be an object of its columns, not an array of its rows.
    pub(crate) fn wants_columns(self) -> bool {
        self.names("object") && !self.names("array")
    }

    /// Whether a list with names is an object.
    pub(crate) fn takes_list(self) -> bool {
        !self.wants_array()
    }

    /// Whether a vector of several elements with names is an object.
    pub(crate) fn takes_vector(self) -> bool {
        self.names("object") || !self.names("array")
    }

    /// What is expected of the items of an array.
    pub(crate) fn items(self) -> Self {
        Self(self.0.and_then(|schema| schema.get("items")?.as_object()))
    }

    /// Whether an object may have a member of this name.
    fn admits(self, name: &str) -> bool {
        self.0.is_none_or(|schema| {
            schema.get("additionalProperties") != Some(&Value::Bool(false))
                || schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
        })
    }

    /// What is expected of a member of an object.
    pub(crate) fn member(self, name: &str) -> Self {
        let of = |keyword: &str| self.0.and_then(|schema| schema.get(keyword));
        let own = of("properties").and_then(|properties| properties.get(name));
        Self(own.or_else(|| of("additionalProperties")).and_then(Value::as_object))
    }
}

/// The JSON of a value.
pub(crate) fn json(value: &RValue, expected: Expected<'_>) -> Value {
    if value.is("data.frame") {
        return data_frame(value, expected);
    }
    if let (Some(sizes), false) = (value.dimensions(), matches!(value.data, Data::List(_))) {
        return Value::Array(matrix(value, sizes));
    }
    match &value.data {
        Data::Null if expected.wants_array() => Value::Array(Vec::new()),
        Data::Null => Value::Null,
        Data::Raw(bytes) => Value::String(STANDARD.encode(bytes)),
        Data::List(items) => list(value, items, expected),
        _ => vector(value, expected),
    }
}

/// The members of a slice of a longer value that is an object.
pub(crate) fn members(value: &RValue, expected: Expected<'_>) -> Vec<(String, Value)> {
    let member = |(index, name): (usize, &str)| {
        (name.to_owned(), element(value, index, expected.member(name)))
    };
    value.names().unwrap_or_default().into_iter().enumerate().map(member).collect()
}

/// The items of a slice of a longer value that is an array.
pub(crate) fn items(value: &RValue, expected: Expected<'_>) -> Vec<Value> {
    match &value.data {
        Data::List(_) if value.is("data.frame") => rows(value, expected),
        Data::List(items) => items.iter().map(|item| json(item, expected)).collect(),
        _ => match value.dimensions() {
            Some(sizes) => matrix(value, sizes),
            None => (0..value.len()).map(|index| element(value, index, expected)).collect(),
        },
    }
}

fn data_frame(value: &RValue, expected: Expected<'_>) -> Value {
    if !expected.wants_columns() {
        return Value::Array(rows(value, expected.items()));
    }
    let whole = |(name, column): (&str, &RValue)| {
        let values = (0..height(column)).map(|row| cell(column, row, Expected::NOTHING));
        (name.to_owned(), Value::Array(values.collect()))
    };
    Value::Object(columns(value).into_iter().map(whole).collect())
}

/// A data frame by rows, of each of which the same is expected.
fn rows(value: &RValue, expected: Expected<'_>) -> Vec<Value> {
    let labels = match value.attribute("row.names").map(|labels| &labels.data) {
        Some(Data::Character(labels)) if expected.admits(ROW) => labels.as_slice(),
        _ => &[],
    };
    let columns = columns(value);
    let row = |row: usize| {
        let cell = |(name, column): &(&str, &RValue)| {
            ((*name).to_owned(), cell(column, row, expected.member(name)))
        };
        let label = labels.get(row).cloned().flatten().map(|label| (ROW.to_owned(), label.into()));
        Value::Object(label.into_iter().chain(columns.iter().map(cell)).collect())
    };
    (0..height(value)).map(row).collect()
}

/// The columns of a data frame by name.
fn columns(value: &RValue) -> Vec<(&str, &RValue)> {
    let columns = if let Data::List(columns) = &value.data { columns.as_slice() } else { &[] };
    value.names().unwrap_or_default().into_iter().zip(columns).collect()
}

/// What a column has in a row: one element, or a row of its own if it is a matrix or a data frame, as `aggregate` makes them.
fn cell(column: &RValue, row: usize, expected: Expected<'_>) -> Value {
    if column.is("data.frame") {
        let member = |(name, inner): (&str, &RValue)| {
            (name.to_owned(), cell(inner, row, expected.member(name)))
        };
        return Value::Object(columns(column).into_iter().map(member).collect());
    }
    let (Some((rows, columns)), false) =
        (column.dimensions(), matches!(column.data, Data::List(_)))
    else {
        return element(column, row, expected);
    };
    let item = |index: usize, expected| element(column, index * rows + row, expected);
    match column.labels() {
        Some(labels) if !expected.wants_array() => {
            let member = |(index, label): (usize, &str)| {
                (label.to_owned(), item(index, expected.member(label)))
            };
            Value::Object(labels.into_iter().enumerate().map(member).collect())
        }
        _ => Value::Array((0..columns).map(|index| item(index, expected.items())).collect()),
    }
}

/// How many rows a data frame or a column of one has.
fn height(value: &RValue) -> usize {
    match (&value.data, value.dimensions()) {
        (Data::List(columns), _) if value.is("data.frame") => columns.first().map_or(0, height),
        (_, Some((rows, _))) => rows,
        _ => value.len(),
    }
}

/// A matrix by rows; R has it by columns.
fn matrix(value: &RValue, (rows, columns): (usize, usize)) -> Vec<Value> {
    let cell = |row: usize, column: usize| element(value, column * rows + row, Expected::NOTHING);
    (0..rows)
        .map(|row| Value::Array((0..columns).map(|column| cell(row, column)).collect()))
        .collect()
}

fn list(value: &RValue, items: &[RValue], expected: Expected<'_>) -> Value {
    match value.names() {
        Some(names) if expected.takes_list() => {
            let member = |(name, item): (&str, &RValue)| {
                let expected = expected.member(name);
                (name.to_owned(), spelled(json(item, expected), expected))
            };
            Value::Object(names.into_iter().zip(items).map(member).collect())
        }
        // R's empty list is both.
        None if items.is_empty() && expected.names("object") => Value::Object(Map::new()),
        _ => Value::Array(items.iter().map(|item| json(item, expected.items())).collect()),
    }
}

fn vector(value: &RValue, expected: Expected<'_>) -> Value {
    let is_single = value.len() == 1 && !expected.wants_array();
    match value.names() {
        Some(_) if expected.names("object") || value.len() > 1 && expected.takes_vector() => {
            Value::Object(members(value, expected).into_iter().collect())
        }
        _ if is_single => element(value, 0, expected),
        _ => Value::Array(
            (0..value.len()).map(|index| element(value, index, expected.items())).collect(),
        ),
    }
}

/// One element of a vector. What is missing, and numbers that JSON does not have, are `null`.
fn element(value: &RValue, index: usize, expected: Expected<'_>) -> Value {
    let plain = match &value.data {
        Data::Null => Value::Null,
        Data::Logical(items) => {
            items.get(index).copied().flatten().map_or(Value::Null, Value::Bool)
        }
        Data::Integer(items) => match items.get(index) {
            Some(&level) if value.is("factor") => factor(value, level),
            Some(&NA_INTEGER) | None => Value::Null,
            Some(&integer) if is_time(value) => moment(value, f64::from(integer)),
            Some(&integer) => integer.into(),
        },
        Data::Double(items) => match items.get(index) {
            Some(&double) if is_time(value) => moment(value, double),
            Some(&double) => number(double),
            None => Value::Null,
        },
        Data::Character(items) => {
            items.get(index).cloned().flatten().map_or(Value::Null, Value::String)
        }
        Data::Raw(items) => items.get(index).copied().map_or(Value::Null, Value::from),
        Data::List(items) => items.get(index).map_or(Value::Null, |item| json(item, expected)),
    };
    as_expected(plain, expected)
}

/// A part that has parts of its own is JSON as text where text is expected: nothing is lost.
fn spelled(value: Value, expected: Expected<'_>) -> Value {
    let is_text = expected.names("string") && !expected.names_one_of(&["array", "object"]);
    match value {
        Value::Array(_) | Value::Object(_) if is_text => Value::String(value.to_string()),
        other => other,
    }
}

/// Numbers and truths are text where text is expected: nothing is lost.
fn as_expected(value: Value, expected: Expected<'_>) -> Value {
    if !expected.names("string") {
        return value;
    }
    match value {
        Value::Number(number) if !expected.names_one_of(&["number", "integer"]) => {
            Value::String(number.to_string())
        }
        Value::Bool(truth) if !expected.names("boolean") => {
            Value::String(if truth { "TRUE" } else { "FALSE" }.to_owned())
        }
        other => other,
    }
}

fn is_time(value: &RValue) -> bool {
    value.is("Date") || value.is("POSIXct")
}

fn moment(value: &RValue, number: f64) -> Value {
    let text = if value.is("Date") { time::date(number) } else { time::timestamp(number) };
    text.map_or(Value::Null, Value::String)
}

fn factor(value: &RValue, level: i32) -> Value {
    let Some(Data::Character(levels)) = value.attribute("levels").map(|levels| &levels.data) else {
        return Value::Null;
    };
    let index = usize::try_from(level).ok().and_then(|level| level.checked_sub(1));
    index.and_then(|index| levels.get(index).cloned().flatten()).map_or(Value::Null, Value::String)
}

/// A double that is whole is written as a whole number, as R prints it.
fn number(double: f64) -> Value {
    /// Up to here, every whole number is a double of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match double {
        _ if double.fract() == 0.0 && double.abs() <= EXACT => (double as i64).into(),
        _ => Number::from_f64(double).map_or(Value::Null, Value::Number),
    }
}

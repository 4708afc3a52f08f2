//! Converts R values to JSON.
//!
//! R has no scalars and no objects, so the output schema decides: whether a vector of one element
//! is a scalar or an array, whether a data frame is rows or columns, whether names make an object.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Number, Value};

use super::{
    time,
    value::{Data, NA_INTEGER, RValue},
};

/// The member of a row that holds its name, as in the R package jsonlite.
const ROW_NAME: &str = "_row";

/// The schema that a value is expected to match, if there is one.
#[derive(Clone, Copy)]
pub(super) struct Expected<'a>(Option<&'a Map<String, Value>>);

impl<'a> Expected<'a> {
    /// No schema.
    pub(super) const ANYTHING: Self = Self(None);

    pub(super) fn from_schema(schema: &'a Map<String, Value>) -> Self {
        Self(Some(schema))
    }

    /// Whether the schema names this type, perhaps among others.
    fn has_type(self, kind: &str) -> bool {
        match self.0.and_then(|schema| schema.get("type")) {
            Some(Value::String(one)) => one == kind,
            Some(Value::Array(several)) => several.iter().any(|one| one == kind),
            _ => false,
        }
    }

    fn has_any_type(self, kinds: &[&str]) -> bool {
        kinds.iter().any(|kind| self.has_type(kind))
    }

    /// Whether a vector of one element is an array.
    pub(super) fn wants_array(self) -> bool {
        self.has_type("array") && !self.has_any_type(&["string", "number", "integer", "boolean"])
    }

    /// Whether a data frame is an object of columns, not an array of rows.
    pub(super) fn wants_columns(self) -> bool {
        self.has_type("object") && !self.has_type("array")
    }

    /// Whether a named list is an object.
    pub(super) fn allows_list_as_object(self) -> bool {
        !self.wants_array()
    }

    /// Whether a named vector of several elements is an object.
    pub(super) fn allows_vector_as_object(self) -> bool {
        self.has_type("object") || !self.has_type("array")
    }

    /// The schema of the items of an array.
    pub(super) fn items(self) -> Self {
        Self(self.0.and_then(|schema| schema.get("items")?.as_object()))
    }

    /// Whether an object may have a member of this name.
    fn allows_member(self, name: &str) -> bool {
        self.0.is_none_or(|schema| {
            schema.get("additionalProperties") != Some(&Value::Bool(false))
                || schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
        })
    }

    /// The schema of a member of an object.
    pub(super) fn member(self, name: &str) -> Self {
        let keyword = |keyword: &str| self.0.and_then(|schema| schema.get(keyword));
        let own = keyword("properties").and_then(|properties| properties.get(name));
        Self(own.or_else(|| keyword("additionalProperties")).and_then(Value::as_object))
    }
}

/// Converts a value.
pub(super) fn to_json(value: &RValue, expected: Expected<'_>) -> Value {
    if value.inherits("data.frame") {
        return data_frame_to_json(value, expected);
    }
    // A list can have dimensions as well (`matrix(list(...))`), but its cells are values of their
    // own.
    if let (Some(sizes), false) = (value.dimensions(), matches!(value.data, Data::List(_))) {
        return Value::Array(matrix_rows(value, sizes));
    }
    match &value.data {
        // `c()`, the empty vector without a type, is NULL.
        Data::Null if expected.wants_array() => Value::Array(Vec::new()),
        Data::Null => Value::Null,
        Data::Raw(bytes) => Value::String(STANDARD.encode(bytes)),
        Data::List(items) => list_to_json(value, items, expected),
        _ => vector_to_json(value, expected),
    }
}

/// The members of a slice of a longer value that becomes an object.
pub(super) fn slice_members(value: &RValue, expected: Expected<'_>) -> Vec<(String, Value)> {
    let member = |(index, name): (usize, &str)| {
        (name.to_owned(), element_to_json(value, index, expected.member(name)))
    };
    value.names().unwrap_or_default().into_iter().enumerate().map(member).collect()
}

/// The items of a slice of a longer value that becomes an array. `expected` is the schema of an
/// item.
pub(super) fn slice_items(value: &RValue, expected: Expected<'_>) -> Vec<Value> {
    match &value.data {
        Data::List(_) if value.inherits("data.frame") => data_frame_rows(value, expected),
        Data::List(items) => items.iter().map(|item| to_json(item, expected)).collect(),
        _ => match value.dimensions() {
            Some(sizes) => matrix_rows(value, sizes),
            None => (0..value.len()).map(|index| element_to_json(value, index, expected)).collect(),
        },
    }
}

fn data_frame_to_json(value: &RValue, expected: Expected<'_>) -> Value {
    if !expected.wants_columns() {
        return Value::Array(data_frame_rows(value, expected.items()));
    }
    let to_member = |(name, column): (&str, &RValue)| {
        let cells = (0..row_count(column)).map(|row| cell_to_json(column, row, Expected::ANYTHING));
        (name.to_owned(), Value::Array(cells.collect()))
    };
    Value::Object(columns(value).into_iter().map(to_member).collect())
}

/// A data frame as an array of objects. `expected` is the schema of a row.
fn data_frame_rows(value: &RValue, expected: Expected<'_>) -> Vec<Value> {
    // Automatic row names are integers and carry no information; others were chosen by the author.
    let row_names = match value.attribute("row.names").map(|names| &names.data) {
        Some(Data::Character(names)) if expected.allows_member(ROW_NAME) => names.as_slice(),
        _ => &[],
    };
    let columns = columns(value);
    let row = |row: usize| {
        let cell = |(name, column): &(&str, &RValue)| {
            ((*name).to_owned(), cell_to_json(column, row, expected.member(name)))
        };
        let name = row_names.get(row).cloned().flatten();
        let name = name.map(|name| (ROW_NAME.to_owned(), name.into()));
        Value::Object(name.into_iter().chain(columns.iter().map(cell)).collect())
    };
    (0..row_count(value)).map(row).collect()
}

/// The columns of a data frame by name.
fn columns(value: &RValue) -> Vec<(&str, &RValue)> {
    let columns = if let Data::List(columns) = &value.data { columns.as_slice() } else { &[] };
    value.names().unwrap_or_default().into_iter().zip(columns).collect()
}

/// One cell of a column. A column can be a matrix or a data frame itself, as in the result of
/// `aggregate`; its cell is then a row.
fn cell_to_json(column: &RValue, row: usize, expected: Expected<'_>) -> Value {
    if column.inherits("data.frame") {
        let member = |(name, inner): (&str, &RValue)| {
            (name.to_owned(), cell_to_json(inner, row, expected.member(name)))
        };
        return Value::Object(columns(column).into_iter().map(member).collect());
    }
    let (Some((rows, columns)), false) =
        (column.dimensions(), matches!(column.data, Data::List(_)))
    else {
        return element_to_json(column, row, expected);
    };
    let item = |index: usize, expected| element_to_json(column, index * rows + row, expected);
    match column.column_names() {
        Some(names) if !expected.wants_array() => {
            let member = |(index, name): (usize, &str)| {
                (name.to_owned(), item(index, expected.member(name)))
            };
            Value::Object(names.into_iter().enumerate().map(member).collect())
        }
        _ => Value::Array((0..columns).map(|index| item(index, expected.items())).collect()),
    }
}

/// The number of rows of a data frame, or of a column of one.
fn row_count(value: &RValue) -> usize {
    match (&value.data, value.dimensions()) {
        (Data::List(columns), _) if value.inherits("data.frame") => {
            columns.first().map_or(0, row_count)
        }
        (_, Some((rows, _))) => rows,
        _ => value.len(),
    }
}

/// A matrix as an array of rows; R stores it by column.
fn matrix_rows(value: &RValue, (rows, columns): (usize, usize)) -> Vec<Value> {
    let cell =
        |row: usize, column: usize| element_to_json(value, column * rows + row, Expected::ANYTHING);
    (0..rows)
        .map(|row| Value::Array((0..columns).map(|column| cell(row, column)).collect()))
        .collect()
}

fn list_to_json(value: &RValue, items: &[RValue], expected: Expected<'_>) -> Value {
    match value.names() {
        // Names win over positions unless the schema insists on an array.
        Some(names) if expected.allows_list_as_object() => {
            let member = |(name, item): (&str, &RValue)| {
                let expected = expected.member(name);
                (name.to_owned(), compound_as_expected(to_json(item, expected), expected))
            };
            Value::Object(names.into_iter().zip(items).map(member).collect())
        }
        // `list()` has no names, so it is the empty object as well as the empty array.
        None if items.is_empty() && expected.has_type("object") => Value::Object(Map::new()),
        _ => Value::Array(items.iter().map(|item| to_json(item, expected.items())).collect()),
    }
}

fn vector_to_json(value: &RValue, expected: Expected<'_>) -> Value {
    let is_scalar = value.len() == 1 && !expected.wants_array();
    match value.names() {
        Some(_)
            if expected.has_type("object")
                || value.len() > 1 && expected.allows_vector_as_object() =>
        {
            Value::Object(slice_members(value, expected).into_iter().collect())
        }
        _ if is_scalar => element_to_json(value, 0, expected),
        _ => Value::Array(
            (0..value.len()).map(|index| element_to_json(value, index, expected.items())).collect(),
        ),
    }
}

/// One element of a vector. NA, NaN and infinity, which JSON lacks, are `null`.
fn element_to_json(value: &RValue, index: usize, expected: Expected<'_>) -> Value {
    let element = match &value.data {
        Data::Null => Value::Null,
        Data::Logical(items) => {
            items.get(index).copied().flatten().map_or(Value::Null, Value::Bool)
        }
        Data::Integer(items) => match items.get(index) {
            Some(&level) if value.inherits("factor") => factor_level(value, level),
            Some(&NA_INTEGER) | None => Value::Null,
            // `seq` and others make dates with integers.
            Some(&integer) if is_time(value) => time_to_json(value, f64::from(integer)),
            Some(&integer) => integer.into(),
        },
        Data::Double(items) => match items.get(index) {
            Some(&double) if is_time(value) => time_to_json(value, double),
            Some(&double) => double_to_json(double),
            None => Value::Null,
        },
        Data::Character(items) => {
            items.get(index).cloned().flatten().map_or(Value::Null, Value::String)
        }
        Data::Raw(items) => items.get(index).copied().map_or(Value::Null, Value::from),
        Data::List(items) => items.get(index).map_or(Value::Null, |item| to_json(item, expected)),
    };
    scalar_as_expected(element, expected)
}

/// An array or object is JSON text where the schema wants a string: nothing is lost by that.
fn compound_as_expected(value: Value, expected: Expected<'_>) -> Value {
    let wants_string = expected.has_type("string") && !expected.has_any_type(&["array", "object"]);
    match value {
        Value::Array(_) | Value::Object(_) if wants_string => Value::String(value.to_string()),
        other => other,
    }
}

/// A number or boolean is text where the schema wants a string: nothing is lost by that.
fn scalar_as_expected(value: Value, expected: Expected<'_>) -> Value {
    if !expected.has_type("string") {
        return value;
    }
    match value {
        // Identifiers are often numbers in R and declared as strings.
        Value::Number(number) if !expected.has_any_type(&["number", "integer"]) => {
            Value::String(number.to_string())
        }
        Value::Bool(truth) if !expected.has_type("boolean") => {
            Value::String(if truth { "TRUE" } else { "FALSE" }.to_owned())
        }
        other => other,
    }
}

fn is_time(value: &RValue) -> bool {
    value.inherits("Date") || value.inherits("POSIXct")
}

fn time_to_json(value: &RValue, number: f64) -> Value {
    let text = if value.inherits("Date") {
        time::format_date(number)
    } else {
        time::format_date_time(number)
    };
    text.map_or(Value::Null, Value::String)
}

/// A factor stores the indexes of its levels, from one on; its values are the levels.
fn factor_level(value: &RValue, level: i32) -> Value {
    let Some(Data::Character(levels)) = value.attribute("levels").map(|levels| &levels.data) else {
        return Value::Null;
    };
    let index = usize::try_from(level).ok().and_then(|level| level.checked_sub(1));
    index.and_then(|index| levels.get(index).cloned().flatten()).map_or(Value::Null, Value::String)
}

/// A whole double is a JSON integer, as R prints it: most numbers in R are doubles, also counts.
fn double_to_json(double: f64) -> Value {
    /// 2^53: up to here, doubles represent every integer exactly.
    const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
    match double {
        _ if double.fract() == 0.0 && double.abs() <= MAX_EXACT => (double as i64).into(),
        _ => Number::from_f64(double).map_or(Value::Null, Value::Number),
    }
}

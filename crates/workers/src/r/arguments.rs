//! Converts arguments from JSON to R.
//!
//! The definition decides which R type an argument gets, not the value: a function that wants a
//! double must not get an integer because the caller happened to write `1`. Only where a value does
//! not fit its declared type is the nearest type used, so that R reports the problem in its own
//! words.

use catalog::{
    Failure, failures,
    implementation::{Atom, Encoding, RFunction},
};
use serde_json::{Map, Value};
use toolkit::Arguments;

use super::{
    time,
    value::{Data, NA_INTEGER, RValue, na_real},
};

/// The arguments of a call by name, in the order of the definition. Arguments that were left out
/// stay out, so that R applies its own defaults and `missing()` works. Reports all problems at
/// once.
pub(super) fn encode_arguments(
    function: &RFunction,
    arguments: &Arguments,
) -> Result<Vec<(String, RValue)>, Failure> {
    let is_formal = |name: &str| function.formals.iter().any(|formal| formal.parameter == name);
    // An unknown argument that is `null` counts as absent: models often send `null` for what they
    // leave out.
    let unknown = arguments.iter().filter(|(name, value)| !value.is_null() && !is_formal(name));
    let mut problems: Vec<_> =
        unknown.map(|(name, value)| unknown_argument_error(function, name, value)).collect();
    let mut encoded = Vec::with_capacity(arguments.len());
    for formal in &function.formals {
        let Some(value) = arguments.get(&formal.parameter) else {
            continue;
        };
        match encode_argument(formal.encoding, value) {
            Ok(value) => encoded.push((formal.parameter.clone(), value)),
            Err(expected) => {
                let message = format!("'{}' must be {expected}", formal.parameter);
                problems.push(failures::argument_failure(
                    &formal.parameter,
                    message,
                    expected,
                    value.clone(),
                ));
            }
        }
    }
    failures::combine(problems).map_or(Ok(encoded), Err)
}

fn unknown_argument_error(function: &RFunction, name: &str, value: &Value) -> Failure {
    let message = format!(
        "'{name}' is not an argument of the R function `{}`; leave it out",
        function.function
    );
    failures::argument_failure(name, message, "nothing", value.clone())
}

/// The expected value, as the end of "must be ...", if a value cannot be converted.
type Expected = &'static str;

fn encode_argument(encoding: Encoding, value: &Value) -> Result<RValue, Expected> {
    if value.is_null() {
        return Ok(RValue::null());
    }
    match encoding {
        // R has no scalars: both are vectors, and a single value is a vector of one element.
        Encoding::Scalar(atom) | Encoding::Vector(atom) => match value {
            Value::Array(items) => to_vector(atom, items),
            Value::Object(_) => to_nearest(value),
            scalar => to_vector(atom, std::slice::from_ref(scalar)),
        },
        Encoding::Matrix(atom) => to_matrix(atom, value),
        Encoding::DataFrame => to_data_frame(value),
        Encoding::List => to_list(value),
        Encoding::Any => to_nearest(value),
    }
}

/// A vector of the declared type, or of the nearest one if an item is not of that type.
fn to_vector(atom: Atom, items: &[Value]) -> Result<RValue, Expected> {
    match atom {
        Atom::Logical => convert_all(items, Value::as_bool)
            .map_or_else(|| to_nearest_vector(items), |values| Ok(Data::Logical(values).into())),
        Atom::Integer => match convert_all(items, to_r_integer) {
            Some(integers) => Ok(Data::Integer(
                integers.into_iter().map(|item| item.unwrap_or(NA_INTEGER)).collect(),
            )
            .into()),
            // R's integers have 32 bits; R itself continues with doubles beyond that.
            // Values that are no numbers at all pass through here too, and become the nearest type
            // there.
            None => to_vector(Atom::Double, items),
        },
        Atom::Double => convert_all(items, Value::as_f64)
            .map_or_else(|| to_nearest_vector(items), |numbers| Ok(to_doubles(numbers))),
        Atom::Character => match convert_all(items, Value::as_str) {
            Some(texts) => to_characters(texts),
            None => to_nearest_vector(items),
        },
        Atom::Date => {
            let days = convert_all(items, |item| time::parse_date(item.as_str()?))
                .ok_or("a date such as 2024-12-31")?;
            Ok(to_doubles(days).with("class", RValue::text("Date")))
        }
        Atom::DateTime => {
            let seconds = convert_all(items, |item| time::parse_date_time(item.as_str()?))
                .ok_or("a time such as 2024-12-31T23:59:59Z")?;
            // The order matters: R dispatches on the first class, and `POSIXt` is the common
            // parent.
            let classes = RValue::texts(["POSIXct".to_owned(), "POSIXt".to_owned()]);
            Ok(to_doubles(seconds).with("class", classes).with("tzone", RValue::text("UTC")))
        }
    }
}

/// Converts every item, with `null` as missing (NA). `None` if one cannot be converted.
fn convert_all<'a, T>(
    items: &'a [Value],
    convert: impl Fn(&'a Value) -> Option<T>,
) -> Option<Vec<Option<T>>> {
    items
        .iter()
        .map(|item| if item.is_null() { Some(None) } else { convert(item).map(Some) })
        .collect()
}

fn to_doubles(numbers: Vec<Option<f64>>) -> RValue {
    Data::Double(numbers.into_iter().map(|number| number.unwrap_or_else(na_real)).collect()).into()
}

fn to_characters(texts: Vec<Option<&str>>) -> Result<RValue, Expected> {
    if texts.iter().flatten().any(|text| text.contains('\0')) {
        return Err("text without a NUL character, which R cannot hold");
    }
    Ok(Data::Character(texts.into_iter().map(|text| text.map(str::to_owned)).collect()).into())
}

/// An integer of R, also if it was written as `1.0`. The lowest one is taken: it stands for NA.
fn to_r_integer(value: &Value) -> Option<i32> {
    let from_float =
        || value.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i64);
    let number = value.as_i64().or_else(from_float)?;
    i32::try_from(number).ok().filter(|number| *number != NA_INTEGER)
}

fn to_matrix(atom: Atom, value: &Value) -> Result<RValue, Expected> {
    let expected = "an array of rows that are equally long";
    let rows = value.as_array().ok_or(expected)?;
    let rows: Option<Vec<_>> = rows.iter().map(Value::as_array).collect();
    let rows = rows.ok_or(expected)?;
    let width = rows.first().map_or(0, |row| row.len());
    if rows.iter().any(|row| row.len() != width) {
        return Err(expected);
    }
    // R stores matrices by column.
    let by_column: Vec<_> =
        (0..width).flat_map(|column| rows.iter().map(move |row| row[column].clone())).collect();
    // `dim` is an integer vector in R; the message limit keeps real sizes far below the maximum.
    let sizes = [rows.len(), width].map(|size| i32::try_from(size).unwrap_or(i32::MAX));
    Ok(to_vector(atom, &by_column)?.with("dim", Data::Integer(sizes.to_vec()).into()))
}

/// A data frame from an array of rows. Columns are in the order in which rows first name them;
/// where a row lacks a column, its value is missing.
fn to_data_frame(value: &Value) -> Result<RValue, Expected> {
    let expected = "an array of objects, one for each row";
    let rows: Option<Vec<&Map<_, _>>> =
        value.as_array().ok_or(expected)?.iter().map(Value::as_object).collect();
    let rows = rows.ok_or(expected)?;
    let mut names: Vec<&String> = Vec::new();
    for name in rows.iter().flat_map(|row| row.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let column = |name: &String| {
        let items: Vec<_> =
            // The default is `null`, which becomes NA in the type of the other cells.
            rows.iter().map(|row| row.get(name).cloned().unwrap_or_default()).collect();
        to_nearest_vector(&items)
    };
    let columns: Result<Vec<_>, Expected> =
        names.iter().map(|name| Ok((name.to_string(), column(name)?))).collect();
    // The compact form in which R stores automatic row names: NA and the negative number of rows.
    let row_names = Data::Integer(vec![NA_INTEGER, -i32::try_from(rows.len()).unwrap_or(i32::MAX)]);
    Ok(RValue::named(columns?)
        .with("class", RValue::text("data.frame"))
        .with("row.names", row_names.into()))
}

fn to_list(value: &Value) -> Result<RValue, Expected> {
    match value {
        Value::Object(members) => {
            let members: Result<Vec<_>, Expected> = members
                .iter()
                .map(|(name, value)| Ok((name.clone(), to_nearest(value)?)))
                .collect();
            Ok(RValue::named(members?))
        }
        Value::Array(items) => {
            Ok(RValue::list(items.iter().map(to_nearest).collect::<Result<_, _>>()?))
        }
        scalar => Ok(RValue::list(vec![to_nearest(scalar)?])),
    }
}

/// The R value that is nearest to a JSON value, where the definition declares no type.
fn to_nearest(value: &Value) -> Result<RValue, Expected> {
    match value {
        Value::Null => Ok(RValue::null()),
        Value::Object(_) => to_list(value),
        Value::Array(items) => to_nearest_vector(items),
        scalar => to_nearest_vector(std::slice::from_ref(scalar)),
    }
}

/// An atomic vector if all items have the same type, else a list. An empty array has no type, so it
/// is an empty list, which R converts to any vector.
fn to_nearest_vector(items: &[Value]) -> Result<RValue, Expected> {
    let are_all =
        |has_type: fn(&Value) -> bool| items.iter().all(|item| item.is_null() || has_type(item));
    let atom = if items.is_empty() {
        return Ok(RValue::list(Vec::new()));
    // A vector of nulls alone passes the first test and becomes logical NA, as `NA` is in R.
    } else if are_all(Value::is_boolean) {
        Atom::Logical
    // Mixed integers and fractions become doubles, as in `c(1L, 2.5)`.
    } else if are_all(Value::is_i64) {
        Atom::Integer
    } else if are_all(Value::is_number) {
        Atom::Double
    } else if are_all(Value::is_string) {
        Atom::Character
    } else {
        return Ok(RValue::list(items.iter().map(to_nearest).collect::<Result<_, _>>()?));
    };
    to_vector(atom, items)
}

//! From JSON to R: what each argument becomes is decided by the tool's definition, never guessed
//! from the value where something is said.

use catalog::{
    Failure,
    implementation::{Atom, Encoding, RFunction},
};
use serde_json::{Map, Value};
use toolkit::Arguments;

use super::{
    time,
    value::{Data, NA_INTEGER, RValue, na_real},
};
use crate::failures;

/// The arguments of a call by name, in the order of the definition. What was left out is left out.
pub(crate) fn encoded(
    function: &RFunction,
    arguments: &Arguments,
) -> Result<Vec<(String, RValue)>, Failure> {
    let takes = |name: &str| function.formals.iter().any(|formal| formal.parameter == name);
    let unknown = arguments.iter().filter(|(name, value)| !value.is_null() && !takes(name));
    let mut refusals: Vec<_> =
        unknown.map(|(name, value)| not_a_formal(function, name, value)).collect();
    let mut encoded = Vec::with_capacity(arguments.len());
    for formal in &function.formals {
        let Some(value) = arguments.get(&formal.parameter) else {
            continue;
        };
        match of_encoding(formal.encoding, value) {
            Ok(value) => encoded.push((formal.parameter.clone(), value)),
            Err(expected) => {
                let message = format!("'{}' must be {expected}", formal.parameter);
                refusals.push(failures::invalid_argument(
                    &formal.parameter,
                    message,
                    expected,
                    value.clone(),
                ));
            }
        }
    }
    failures::combine(refusals).map_or(Ok(encoded), Err)
}

fn not_a_formal(function: &RFunction, name: &str, value: &Value) -> Failure {
    let message = format!(
        "'{name}' is not an argument of the R function `{}`; leave it out",
        function.function
    );
    failures::invalid_argument(name, message, "nothing", value.clone())
}

/// What a value must be, where it is not.
type Expected = &'static str;

fn of_encoding(encoding: Encoding, value: &Value) -> Result<RValue, Expected> {
    if value.is_null() {
        return Ok(RValue::null());
    }
    match encoding {
        Encoding::Scalar(atom) | Encoding::Vector(atom) => match value {
            Value::Array(items) => vector(atom, items),
            Value::Object(_) => any(value),
            one => vector(atom, std::slice::from_ref(one)),
        },
        Encoding::Matrix(atom) => matrix(atom, value),
        Encoding::DataFrame => data_frame(value),
        Encoding::List => list(value),
        Encoding::Any => any(value),
    }
}

/// A vector of a kind; of what is nearest, if some item is of another kind.
fn vector(atom: Atom, items: &[Value]) -> Result<RValue, Expected> {
    match atom {
        Atom::Logical => all(items, Value::as_bool)
            .map_or_else(|| of_items(items), |truths| Ok(Data::Logical(truths).into())),
        Atom::Integer => match all(items, whole) {
            Some(integers) => Ok(Data::Integer(
                integers.into_iter().map(|item| item.unwrap_or(NA_INTEGER)).collect(),
            )
            .into()),
            None => vector(Atom::Double, items),
        },
        Atom::Double => all(items, Value::as_f64)
            .map_or_else(|| of_items(items), |numbers| Ok(doubles(numbers))),
        Atom::Character => match all(items, Value::as_str) {
            Some(texts) => characters(texts),
            None => of_items(items),
        },
        Atom::Date => {
            let days =
                all(items, |item| time::day(item.as_str()?)).ok_or("a date such as 2024-12-31")?;
            Ok(doubles(days).with("class", RValue::text("Date")))
        }
        Atom::DateTime => {
            let moments = all(items, |item| time::moment(item.as_str()?))
                .ok_or("a time such as 2024-12-31T23:59:59Z")?;
            let classes = RValue::texts(["POSIXct".to_owned(), "POSIXt".to_owned()]);
            Ok(doubles(moments).with("class", classes).with("tzone", RValue::text("UTC")))
        }
    }
}

/// Every item by itself, `null` as missing; none if one does not fit.
fn all<'a, T>(items: &'a [Value], each: impl Fn(&'a Value) -> Option<T>) -> Option<Vec<Option<T>>> {
    items
        .iter()
        .map(|item| if item.is_null() { Some(None) } else { each(item).map(Some) })
        .collect()
}

fn doubles(numbers: Vec<Option<f64>>) -> RValue {
    Data::Double(numbers.into_iter().map(|number| number.unwrap_or_else(na_real)).collect()).into()
}

fn characters(texts: Vec<Option<&str>>) -> Result<RValue, Expected> {
    if texts.iter().flatten().any(|text| text.contains('\0')) {
        return Err("text without a NUL character, which R cannot hold");
    }
    Ok(Data::Character(texts.into_iter().map(|text| text.map(str::to_owned)).collect()).into())
}

/// A whole number that R's integers can hold, however it was written.
fn whole(value: &Value) -> Option<i32> {
    let exact =
        || value.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i64);
    let number = value.as_i64().or_else(exact)?;
    i32::try_from(number).ok().filter(|number| *number != NA_INTEGER)
}

fn matrix(atom: Atom, value: &Value) -> Result<RValue, Expected> {
    let expected = "an array of rows that are equally long";
    let rows = value.as_array().ok_or(expected)?;
    let rows: Option<Vec<_>> = rows.iter().map(Value::as_array).collect();
    let rows = rows.ok_or(expected)?;
    let width = rows.first().map_or(0, |row| row.len());
    if rows.iter().any(|row| row.len() != width) {
        return Err(expected);
    }
    // R fills a matrix by columns.
    let by_column: Vec<_> =
        (0..width).flat_map(|column| rows.iter().map(move |row| row[column].clone())).collect();
    let sizes = [rows.len(), width].map(|size| i32::try_from(size).unwrap_or(i32::MAX));
    Ok(vector(atom, &by_column)?.with("dim", Data::Integer(sizes.to_vec()).into()))
}

/// Columns in the order in which rows first name them; what a row has not is missing.
fn data_frame(value: &Value) -> Result<RValue, Expected> {
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
            rows.iter().map(|row| row.get(name).cloned().unwrap_or_default()).collect();
        of_items(&items)
    };
    let columns: Result<Vec<_>, Expected> =
        names.iter().map(|name| Ok((name.to_string(), column(name)?))).collect();
    // How R itself writes down row names that nobody chose.
    let row_names = Data::Integer(vec![NA_INTEGER, -i32::try_from(rows.len()).unwrap_or(i32::MAX)]);
    Ok(RValue::named(columns?)
        .with("class", RValue::text("data.frame"))
        .with("row.names", row_names.into()))
}

fn list(value: &Value) -> Result<RValue, Expected> {
    match value {
        Value::Object(members) => {
            let members: Result<Vec<_>, Expected> =
                members.iter().map(|(name, value)| Ok((name.clone(), any(value)?))).collect();
            Ok(RValue::named(members?))
        }
        Value::Array(items) => Ok(RValue::list(items.iter().map(any).collect::<Result<_, _>>()?)),
        one => Ok(RValue::list(vec![any(one)?])),
    }
}

/// What is nearest to a value.
fn any(value: &Value) -> Result<RValue, Expected> {
    match value {
        Value::Null => Ok(RValue::null()),
        Value::Object(_) => list(value),
        Value::Array(items) => of_items(items),
        one => of_items(std::slice::from_ref(one)),
    }
}

/// A vector if all items are of one kind, else a list.
fn of_items(items: &[Value]) -> Result<RValue, Expected> {
    let is_all = |fits: fn(&Value) -> bool| items.iter().all(|item| item.is_null() || fits(item));
    let atom = if items.is_empty() {
        return Ok(RValue::list(Vec::new()));
    } else if is_all(Value::is_boolean) {
        Atom::Logical
    } else if is_all(Value::is_i64) {
        Atom::Integer
    } else if is_all(Value::is_number) {
        Atom::Double
    } else if is_all(Value::is_string) {
        Atom::Character
    } else {
        return Ok(RValue::list(items.iter().map(any).collect::<Result<_, _>>()?));
    };
    vector(atom, items)
}

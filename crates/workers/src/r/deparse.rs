//! Formats R values as R source, to show people exactly what will be called.

use std::fmt::Write;

use super::value::{Data, NA_INTEGER, RValue, is_na_real};

/// Reserved words, which cannot be used as names without backticks.
const RESERVED: [&str; 19] = [
    "if",
    "else",
    "repeat",
    "while",
    "function",
    "for",
    "next",
    "break",
    "TRUE",
    "FALSE",
    "NULL",
    "Inf",
    "NaN",
    "NA",
    "NA_integer_",
    "NA_real_",
    "NA_character_",
    "NA_complex_",
    "in",
];

/// The call of a function with named arguments.
pub(super) fn deparse_call(
    package: &str,
    function: &str,
    arguments: &[(String, RValue)],
) -> String {
    let mut text = format!("{}::{}(", quote_name(package), quote_name(function));
    write_members(&mut text, arguments.iter().map(|(name, value)| (name.as_str(), value)));
    text.push(')');
    text
}

fn write_members<'a>(text: &mut String, members: impl Iterator<Item = (&'a str, &'a RValue)>) {
    for (index, (own, value)) in members.enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        if !own.is_empty() {
            text.push_str(&quote_name(own));
            text.push_str(" = ");
        }
        write_value(text, value);
    }
}

/// A value with its class and dimensions.
fn write_value(text: &mut String, value: &RValue) {
    if value.inherits("Date") {
        return write_wrapped(text, "as.Date", value, "");
    }
    if value.inherits("POSIXct") {
        // Before R 4.3, numbers need an origin.
        return write_wrapped(text, "as.POSIXct", value, ", origin = \"1970-01-01\", tz = \"UTC\"");
    }
    if let Some((rows, columns)) = value.dimensions() {
        return write_wrapped(text, "matrix", value, &format!(", nrow = {rows}, ncol = {columns}"));
    }
    if value.inherits("data.frame") {
        text.push_str("data.frame(");
        write_elements(text, value);
        return text.push(')');
    }
    write_data(text, value);
}

/// A value as the first argument of the function that restores its attributes.
fn write_wrapped(text: &mut String, function: &str, value: &RValue, more: &str) {
    text.push_str(function);
    text.push('(');
    write_data(text, value);
    text.push_str(more);
    text.push(')');
}

fn write_data(text: &mut String, value: &RValue) {
    match &value.data {
        Data::Null => text.push_str("NULL"),
        Data::List(_) => {
            text.push_str("list(");
            write_elements(text, value);
            text.push(')');
        }
        Data::Logical(items) => write_vector(text, "logical", items, |item| {
            match item {
                Some(true) => "TRUE",
                Some(false) => "FALSE",
                None => "NA",
            }
            .to_owned()
        }),
        Data::Integer(items) => {
            write_vector(text, "integer", items, |item| {
                if *item == NA_INTEGER { "NA_integer_".to_owned() } else { format!("{item}L") }
            });
        }
        Data::Double(items) => write_vector(text, "numeric", items, |item| format_double(*item)),
        Data::Character(items) => {
            write_vector(text, "character", items, |item| {
                item.as_deref().map_or_else(|| "NA_character_".to_owned(), quote_text)
            });
        }
        Data::Raw(items) => {
            text.push_str("as.raw(");
            write_vector(text, "raw", items, |item| format!("0x{item:02x}"));
            text.push(')');
        }
    }
}

fn write_elements(text: &mut String, value: &RValue) {
    let Data::List(items) = &value.data else {
        return;
    };
    let names = value.names().unwrap_or_else(|| vec![""; items.len()]);
    write_members(text, names.into_iter().zip(items));
}

fn write_vector<T>(text: &mut String, kind: &str, items: &[T], each: impl Fn(&T) -> String) {
    match items {
        [] => _ = write!(text, "{kind}(0)"),
        [one] => text.push_str(&each(one)),
        several => {
            let all: Vec<_> = several.iter().map(each).collect();
            let _ = write!(text, "c({})", all.join(", "));
        }
    }
}

fn format_double(number: f64) -> String {
    if is_na_real(number) {
        return "NA_real_".to_owned();
    }
    match number {
        _ if number.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        // R prints such numbers in exponent notation too; all digits of 1e300 would be unreadable.
        _ if number.abs() >= 1e15 => format!("{number:e}"),
        _ => number.to_string(),
    }
}

/// A name, in backticks unless it is a plain one.
fn quote_name(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next();
    // A dot and a digit begin a number.
    let has_valid_start = first.is_some_and(char::is_alphabetic)
        || first == Some('.') && !name[1..].starts_with(|second: char| second.is_ascii_digit());
    let is_plain = has_valid_start
        && letters.all(|letter| letter.is_alphanumeric() || letter == '.' || letter == '_');
    if is_plain && !RESERVED.contains(&name) {
        name.to_owned()
    } else {
        format!("`{}`", escape(name, '`'))
    }
}

fn quote_text(text: &str) -> String {
    format!("\"{}\"", escape(text, '"'))
}

fn escape(text: &str, quote: char) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            '\\' => escaped.push_str("\\\\"),
            _ if letter == quote => escaped.extend(['\\', letter]),
            _ if letter.is_control() => _ = write!(escaped, "\\u{{{:x}}}", u32::from(letter)),
            _ => escaped.push(letter),
        }
    }
    escaped
}

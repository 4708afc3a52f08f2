//! Values beside a type: defaults, choices and examples, read as values of that type.

use std::borrow::Cow;

use serde_json::Number;

use crate::json::{Node, Value};

/// What came of reading a value as one of a type.
pub(super) enum Fit<'a> {
    /// It is one.
    Good(Node<'a>),
    /// It is spelled as something else, and clearly means this.
    Mended(Node<'a>),
    /// It is something else.
    Unfit,
}

impl<'a> Fit<'a> {
    fn mended(node: &Node<'a>, value: Value<'a>) -> Self {
        Self::Mended(Node { value, span: node.span })
    }

    fn good(node: &Node<'a>, value: Value<'a>) -> Self {
        Self::Good(Node { value, span: node.span })
    }
}

/// Reads `node` as a value of `schema`; `text` is the whole file, in which it is spelled out.
pub(super) fn fit<'a>(node: &Node<'a>, schema: &Node<'_>, text: &str) -> Fit<'a> {
    let Some(kind) = schema.get("type") else {
        return Fit::Good(node.clone());
    };
    let kinds = kind.as_str().into_iter().chain(kind.items().iter().filter_map(Node::as_str));
    let mut mended = Fit::Unfit;
    for kind in kinds {
        match as_kind(node, kind, schema, text) {
            Fit::Good(node) => return Fit::Good(node),
            found @ Fit::Mended(_) if matches!(mended, Fit::Unfit) => mended = found,
            _ => {}
        }
    }
    mended
}

fn as_kind<'a>(node: &Node<'a>, kind: &str, schema: &Node<'_>, text: &str) -> Fit<'a> {
    match (kind, &node.value) {
        ("string", Value::String(_))
        | ("boolean", Value::Bool(_))
        | ("object", Value::Object(_))
        | ("null", Value::Null) => Fit::Good(node.clone()),
        ("number", Value::Number(number)) => Fit::good(node, Value::Number(tidy(number))),
        ("integer", Value::Number(number)) if is_whole(number) => {
            Fit::good(node, Value::Number(tidy(number)))
        }
        ("string", Value::Number(_) | Value::Bool(_)) => {
            Fit::mended(node, Value::String(Cow::Owned(spelled(node, text))))
        }
        ("number" | "integer", Value::String(word)) => {
            match number(word).filter(|number| kind == "number" || is_whole(number)) {
                Some(number) => Fit::mended(node, Value::Number(number)),
                None => Fit::Unfit,
            }
        }
        ("boolean", Value::String(word)) => {
            truth(word).map_or(Fit::Unfit, |truth| Fit::mended(node, Value::Bool(truth)))
        }
        ("array", Value::Array(items)) => as_array(node, items, schema, text),
        _ => Fit::Unfit,
    }
}

fn as_array<'a>(node: &Node<'a>, items: &[Node<'a>], schema: &Node<'_>, text: &str) -> Fit<'a> {
    let Some(of) = schema.get("items") else {
        return Fit::Good(node.clone());
    };
    let (mut fitted, mut is_mended) = (Vec::with_capacity(items.len()), false);
    for item in items {
        match fit(item, of, text) {
            Fit::Good(item) => fitted.push(item),
            Fit::Mended(item) => {
                fitted.push(item);
                is_mended = true;
            }
            Fit::Unfit => return Fit::Unfit,
        }
    }
    match is_mended {
        true => Fit::mended(node, Value::Array(fitted)),
        false => Fit::good(node, Value::Array(fitted)),
    }
}

/// The truth value that a word in quotes stands for.
pub(super) fn truth(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "t" | "y" | "1" => Some(true),
        "false" | "no" | "off" | "f" | "n" | "0" => Some(false),
        _ => None,
    }
}

/// A number as R spells it; `2L` is one.
fn number(word: &str) -> Option<Number> {
    let word = word.trim().strip_suffix('L').unwrap_or(word.trim());
    serde_json::from_str::<Number>(word).ok().map(|number| tidy(&number))
}

/// `20.0` is 20.
fn tidy(number: &Number) -> Number {
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < 9e15 => {
            Number::from(value as i64)
        }
        _ => number.clone(),
    }
}

fn is_whole(number: &Number) -> bool {
    !tidy(number).is_f64()
}

/// A plain word as it stands in the file: `yes`, not `true`.
fn spelled(node: &Node<'_>, text: &str) -> String {
    text.get(node.span.range()).map_or_else(|| node.to_value().to_string(), str::to_owned)
}

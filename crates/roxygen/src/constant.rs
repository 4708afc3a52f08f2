//! Constants of R: what can be known of an expression without evaluating anything.

mod fit;

use serde_json::Number;
use tree_sitter::Node;

use formats::type_phrase::ValueType;

use super::computed;

/// What an expression is, if it is made of literals.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constant {
    /// `NULL`.
    Null,
    /// `NA`, `NaN`, `Inf` and their kin, which JSON does not have, with the type that all but `NA` have.
    Missing(Option<ValueType>),
    /// `TRUE` or `FALSE`.
    Bool(bool),
    /// A number with an `L`.
    Integer(Number),
    /// Any other number.
    Number(Number),
    /// A text.
    Text(String),
    /// `c(…)`, flattened.
    Vector(Vec<Constant>),
    /// `character(0)`: no values of a type.
    Empty(ValueType),
    /// `list(…)`, with the names of its items.
    List(Vec<(Option<String>, Constant)>),
    /// Anything else: it would have to be computed. Its type may be plain all the same.
    Computed(Option<ValueType>),
}

impl Constant {
    /// Whether JSON cannot have it because something in it is missing or infinite.
    pub(crate) fn has_missing(&self) -> bool {
        match self {
            Self::Missing(_) => true,
            Self::Vector(items) => items.iter().any(Self::has_missing),
            Self::List(items) => items.iter().any(|(_, item)| item.has_missing()),
            _ => false,
        }
    }
}

/// Folds an expression of `source`.
pub(crate) fn fold(node: Node<'_>, source: &str) -> Constant {
    literal(node, source).unwrap_or_else(|| Constant::Computed(computed::kind(node, source)))
}

/// An expression that is made of literals.
fn literal(node: Node<'_>, source: &str) -> Option<Constant> {
    let text = &source[node.byte_range()];
    Some(match node.kind() {
        "null" => Constant::Null,
        "na" | "nan" | "inf" => Constant::Missing(missing(text)),
        "true" => Constant::Bool(true),
        "false" => Constant::Bool(false),
        "identifier" if text == "T" => Constant::Bool(true),
        "identifier" if text == "F" => Constant::Bool(false),
        "integer" => Constant::Integer(number(text.trim_end_matches('L'))?),
        "float" => Constant::Number(number(text)?),
        // What cannot be seen would be read by models all the same; it stays as R spells it.
        "string" => Constant::Text(string(text).filter(|text| !text.contains(is_unseen))?),
        "parenthesized_expression" => fold(node.child_by_field_name("body")?, source),
        "unary_operator" => unary(node, source)?,
        "call" => call(node, source)?,
        _ => return None,
    })
}

fn unary(node: Node<'_>, source: &str) -> Option<Constant> {
    let operator = &source[node.child_by_field_name("operator")?.byte_range()];
    match (operator, fold(node.child_by_field_name("rhs")?, source)) {
        ("+", value @ (Constant::Integer(_) | Constant::Number(_) | Constant::Missing(_))) => {
            Some(value)
        }
        ("-", value @ Constant::Missing(_)) => Some(value),
        ("-", Constant::Integer(value)) => negative(&value).map(Constant::Integer),
        ("-", Constant::Number(value)) => negative(&value).map(Constant::Number),
        ("+" | "-", Constant::Computed(kind)) => Some(Constant::Computed(kind)),
        _ => None,
    }
}

fn negative(number: &Number) -> Option<Number> {
    match number.as_u64() {
        Some(value) => 0i64.checked_sub_unsigned(value).map(Number::from),
        None => Number::from_f64(-number.as_f64()?),
    }
}

fn call(node: Node<'_>, source: &str) -> Option<Constant> {
    let function = &source[node.child_by_field_name("function")?.byte_range()];
    let arguments = node.child_by_field_name("arguments")?;
    let mut cursor = arguments.walk();
    let items = arguments.children_by_field_name("argument", &mut cursor).map(|argument| {
        let name =
            argument.child_by_field_name("name").map(|node| name(&source[node.byte_range()]));
        let value = argument
            .child_by_field_name("value")
            .map_or(Constant::Computed(None), |value| fold(value, source));
        (name, value)
    });
    let items: Vec<_> = items.collect();
    match function {
        "list" if items.iter().any(|(_, item)| matches!(item, Constant::Computed(_))) => None,
        "list" => Some(Constant::List(items)),
        "c" if items.is_empty() => Some(Constant::Null),
        "c" => Some(vector(items.into_iter().map(|(_, item)| item))),
        function if is_no_length(&items) => atom(function).map(Constant::Empty),
        _ => None,
    }
}

fn missing(text: &str) -> Option<ValueType> {
    match text {
        "NA_integer_" => Some(ValueType::Integer),
        "NA_character_" => Some(ValueType::Text),
        "NA_real_" | "NaN" | "Inf" => Some(ValueType::Number),
        _ => None,
    }
}

/// The type of the vector that a function makes.
fn atom(function: &str) -> Option<ValueType> {
    match function {
        "character" => Some(ValueType::Text),
        "numeric" | "double" => Some(ValueType::Number),
        "integer" => Some(ValueType::Integer),
        "logical" => Some(ValueType::Boolean),
        _ => None,
    }
}

/// `character()` and `character(0)` are empty.
fn is_no_length(items: &[(Option<String>, Constant)]) -> bool {
    let is_zero = |number: &Number| number.as_f64() == Some(0.0);
    items.iter().all(|(_, item)| matches!(item, Constant::Integer(zero) | Constant::Number(zero) if is_zero(zero)))
}

fn vector(items: impl Iterator<Item = Constant>) -> Constant {
    let mut flat = Vec::new();
    let mut is_computed = false;
    for item in items {
        match item {
            Constant::Vector(inner) => flat.extend(inner),
            Constant::Null | Constant::Empty(_) => {}
            Constant::List(_) | Constant::Computed(None) => return Constant::Computed(None),
            scalar => {
                is_computed |= matches!(scalar, Constant::Computed(_));
                flat.push(scalar);
            }
        }
    }
    if is_computed { Constant::Computed(numbers(&flat)) } else { Constant::Vector(flat) }
}

/// The type of a vector of numbers, some of which are computed.
fn numbers(items: &[Constant]) -> Option<ValueType> {
    let is_number =
        |item: &Constant| matches!(item.value_type(), Some(ValueType::Number | ValueType::Integer));
    items.iter().all(is_number).then(|| ValueType::Number.array())
}

/// A name as it is meant, without backticks or quotes.
pub(crate) fn name(text: &str) -> String {
    match text.strip_prefix('`').and_then(|text| text.strip_suffix('`')) {
        Some(inner) => inner.to_owned(),
        None => string(text).unwrap_or_else(|| text.to_owned()),
    }
}

/// A number, exactly as it is written.
fn number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok().map(Number::from);
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.into());
    }
    let value: f64 = text.parse().ok()?;
    match value.fract() == 0.0 && value.abs() < 9e15 {
        true => Some(Number::from(value as i64)),
        false => Number::from_f64(value),
    }
}

fn is_unseen(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t' | '\r')
}

/// What stands between quotes, raw or with escapes.
fn string(text: &str) -> Option<String> {
    if let Some(raw) = text.strip_prefix(['r', 'R']).filter(|raw| raw.starts_with(['"', '\''])) {
        let inner = &raw[1..raw.len() - 1];
        let dashes = inner.len() - inner.trim_start_matches('-').len();
        return inner.get(dashes + 1..inner.len() - dashes - 1).map(str::to_owned);
    }
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let inner = text.get(1..)?.strip_suffix(quote)?;
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => out.push(escape(&mut rest)?),
            c => out.push(c),
        }
    }
    Some(out)
}

fn escape(rest: &mut std::str::Chars<'_>) -> Option<char> {
    Some(match rest.next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        digit @ '0'..='7' => octal(digit, rest)?,
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        'x' => code(rest, 2)?,
        'u' => code(rest, 4)?,
        'U' => code(rest, 8)?,
        c @ ('"' | '\'' | '\\' | '`' | ' ' | '\n') => c,
        _ => return None,
    })
}

/// A character by up to three octal digits.
fn octal(first: char, rest: &mut std::str::Chars<'_>) -> Option<char> {
    let more =
        rest.as_str().bytes().take(2).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
    let digits: String = std::iter::once(first).chain(rest.by_ref().take(more)).collect();
    u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32)
}

/// A character by its number, in braces perhaps.
fn code(rest: &mut std::str::Chars<'_>, most: usize) -> Option<char> {
    let text = rest.as_str();
    let body = text.strip_prefix('{').unwrap_or(text);
    let length = body.bytes().take(most).take_while(u8::is_ascii_hexdigit).count();
    let value = u32::from_str_radix(&body[..length], 16).ok()?;
    let braces = if body.len() < text.len() { 2 } else { 0 };
    (0..length + braces).for_each(|_| {
        rest.next();
    });
    char::from_u32(value)
}

//! Constant folding of R expressions: what can be known about a default without evaluating it.

mod computed;
mod fit;
mod literal;

use formats::type_phrase::ValueType;
use serde_json::Number;
use tree_sitter::Node;

pub(crate) use self::literal::unquote_name;
use self::literal::{parse_number, unquote_string};

/// The value of an expression that consists of literals.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constant {
    /// `NULL`, or the empty `c()`.
    Null,
    /// `NA`, `NaN`, `Inf` and the like, which JSON lacks, with their type. A plain `NA` has none.
    Missing(Option<ValueType>),
    /// `TRUE` or `FALSE`.
    Bool(bool),
    /// A number with the suffix `L`.
    Integer(Number),
    /// Any other number.
    Number(Number),
    /// A string.
    Text(String),
    /// `c(…)`, flattened.
    Vector(Vec<Constant>),
    /// An empty vector of a type: `character(0)`.
    Empty(ValueType),
    /// `list(…)` with the names of its items.
    List(Vec<(Option<String>, Constant)>),
    /// An expression that only R can evaluate, with its type if the expression alone determines it.
    Computed(Option<ValueType>),
}

impl Constant {
    /// Whether JSON has no value for it because it contains `NA`, `NaN` or `Inf`.
    pub(crate) fn has_missing(&self) -> bool {
        match self {
            Self::Missing(_) => true,
            Self::Vector(items) => items.iter().any(Self::has_missing),
            Self::List(items) => items.iter().any(|(_, item)| item.has_missing()),
            _ => false,
        }
    }
}

/// Folds the expression at a node of `source`.
pub(crate) fn fold(node: Node<'_>, source: &str) -> Constant {
    fold_literal(node, source)
        .unwrap_or_else(|| Constant::Computed(computed::infer_type(node, source)))
}

fn fold_literal(node: Node<'_>, source: &str) -> Option<Constant> {
    let text = &source[node.byte_range()];
    Some(match node.kind() {
        "null" => Constant::Null,
        "na" | "nan" | "inf" => Constant::Missing(missing_type(text)),
        "true" => Constant::Bool(true),
        "false" => Constant::Bool(false),
        // `T` and `F` are variables that a package could reassign, but none does.
        "identifier" if text == "T" => Constant::Bool(true),
        "identifier" if text == "F" => Constant::Bool(false),
        "integer" => Constant::Integer(parse_number(text.trim_end_matches('L'))?),
        "float" => Constant::Number(parse_number(text)?),
        // A string with control characters is kept as R code: in a definition they would be
        // invisible to people but not to models.
        "string" => Constant::Text(unquote_string(text).filter(|text| !text.contains(is_hidden))?),
        "parenthesized_expression" => fold(node.child_by_field_name("body")?, source),
        "unary_operator" => fold_sign(node, source)?,
        "call" => fold_call(node, source)?,
        _ => return None,
    })
}

fn fold_sign(node: Node<'_>, source: &str) -> Option<Constant> {
    let operator = &source[node.child_by_field_name("operator")?.byte_range()];
    match (operator, fold(node.child_by_field_name("rhs")?, source)) {
        ("+", value @ (Constant::Integer(_) | Constant::Number(_) | Constant::Missing(_))) => {
            Some(value)
        }
        ("-", value @ Constant::Missing(_)) => Some(value),
        ("-", Constant::Integer(value)) => negate(&value).map(Constant::Integer),
        ("-", Constant::Number(value)) => negate(&value).map(Constant::Number),
        // A sign does not change the type.
        ("+" | "-", Constant::Computed(value_type)) => Some(Constant::Computed(value_type)),
        _ => None,
    }
}

fn negate(number: &Number) -> Option<Number> {
    match number.as_u64() {
        // Exact for all integers, unlike a detour through a double.
        Some(value) => 0i64.checked_sub_unsigned(value).map(Number::from),
        None => Number::from_f64(-number.as_f64()?),
    }
}

fn fold_call(node: Node<'_>, source: &str) -> Option<Constant> {
    let function = &source[node.child_by_field_name("function")?.byte_range()];
    let arguments = node.child_by_field_name("arguments")?;
    let mut cursor = arguments.walk();
    let items = arguments.children_by_field_name("argument", &mut cursor).map(|argument| {
        let name = argument
            .child_by_field_name("name")
            .map(|node| unquote_name(&source[node.byte_range()]));
        let value = argument
            .child_by_field_name("value")
            .map_or(Constant::Computed(None), |value| fold(value, source));
        (name, value)
    });
    let items: Vec<_> = items.collect();
    match function {
        "list" if items.iter().any(|(_, item)| matches!(item, Constant::Computed(_))) => None,
        "list" => Some(Constant::List(items)),
        // In R, `c()` is `NULL`.
        "c" if items.is_empty() => Some(Constant::Null),
        "c" => Some(fold_vector(items.into_iter().map(|(_, item)| item))),
        // `character(3)` is three empty strings, which are no useful default; only the empty vector
        // is folded.
        function if is_zero_length(&items) => element_type(function).map(Constant::Empty),
        _ => None,
    }
}

fn missing_type(text: &str) -> Option<ValueType> {
    match text {
        "NA_integer_" => Some(ValueType::Integer),
        "NA_character_" => Some(ValueType::Text),
        "NA_real_" | "NaN" | "Inf" => Some(ValueType::Number),
        _ => None,
    }
}

/// The element type of the vector that a constructor such as `character(0)` makes.
fn element_type(constructor: &str) -> Option<ValueType> {
    match constructor {
        "character" => Some(ValueType::Text),
        "numeric" | "double" => Some(ValueType::Number),
        "integer" => Some(ValueType::Integer),
        "logical" => Some(ValueType::Boolean),
        _ => None,
    }
}

/// Whether these are the arguments of `character()` or `character(0)`.
fn is_zero_length(arguments: &[(Option<String>, Constant)]) -> bool {
    let is_zero = |number: &Number| number.as_f64() == Some(0.0);
    arguments.iter().all(|(_, argument)| {
        matches!(argument, Constant::Integer(zero) | Constant::Number(zero) if is_zero(zero))
    })
}

/// The elements of `c(…)`, flattened and without `NULL`, as in R.
fn fold_vector(items: impl Iterator<Item = Constant>) -> Constant {
    let mut flat = Vec::new();
    let mut is_computed = false;
    for item in items {
        match item {
            Constant::Vector(inner) => flat.extend(inner),
            Constant::Null | Constant::Empty(_) => {}
            // `c(list(...), 1)` is a list in R; such defaults are too rare to model.
            Constant::List(_) | Constant::Computed(None) => return Constant::Computed(None),
            scalar => {
                is_computed |= matches!(scalar, Constant::Computed(_));
                flat.push(scalar);
            }
        }
    }
    if is_computed { Constant::Computed(infer_vector_type(&flat)) } else { Constant::Vector(flat) }
}

/// The type of a vector with computed elements: known only if all of them are numbers.
fn infer_vector_type(items: &[Constant]) -> Option<ValueType> {
    let is_number =
        |item: &Constant| matches!(item.value_type(), Some(ValueType::Number | ValueType::Integer));
    items.iter().all(is_number).then(|| ValueType::Number.array())
}

fn is_hidden(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t' | '\r')
}

//! The type of what only R can compute, where the expression itself says it: `2/3`, `1:n`, `length(x)`.

use formats::type_phrase::ValueType;
use tree_sitter::Node;

use super::constant::{Constant, fold};

/// The type of an expression, if there is no doubt about it.
pub(super) fn kind(node: Node<'_>, source: &str) -> Option<ValueType> {
    let text = &source[node.byte_range()];
    match node.kind() {
        "binary_operator" => operation(node, source),
        "unary_operator" if text.starts_with('!') => Some(ValueType::Boolean),
        "call" => called(node, source),
        "string" => Some(ValueType::Text),
        "identifier" if text == "pi" => Some(ValueType::Number),
        "extract_operator" => match text {
            ".Machine$integer.max" => Some(ValueType::Integer),
            ".Machine$double.eps" | ".Machine$double.xmax" | ".Machine$double.xmin" => {
                Some(ValueType::Number)
            }
            _ => None,
        },
        _ => None,
    }
}

fn operation(node: Node<'_>, source: &str) -> Option<ValueType> {
    let side = |name| node.child_by_field_name(name).map(|side| fold(side, source).value_type());
    match &source[node.child_by_field_name("operator")?.byte_range()] {
        "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => Some(ValueType::Boolean),
        ":" => Some(ValueType::Number.array()),
        "+" | "-" | "*" | "/" | "^" => {
            let sides = [side("lhs")?, side("rhs")?];
            let is_number = |kind: &Option<ValueType>| {
                matches!(kind, Some(ValueType::Number | ValueType::Integer))
            };
            let is_several = |kind: &Option<ValueType>| matches!(kind, Some(ValueType::Array(_)));
            (sides.iter().any(is_number) && !sides.iter().any(is_several))
                .then_some(ValueType::Number)
        }
        _ => None,
    }
}

/// What functions of R itself return, whatever they are given.
fn called(node: Node<'_>, source: &str) -> Option<ValueType> {
    match &source[node.child_by_field_name("function")?.byte_range()] {
        "length" | "nrow" | "ncol" | "NROW" | "NCOL" | "nlevels" | "as.integer" => {
            Some(ValueType::Integer)
        }
        "sqrt" | "exp" | "log" | "log10" | "mean" | "median" | "min" | "max" | "sum" | "sd"
        | "var" | "as.numeric" => Some(ValueType::Number),
        "seq_len" | "seq_along" | "seq" | "range" | "runif" | "rnorm" => {
            Some(ValueType::Number.array())
        }
        "interactive" | "inherits" | "identical" | "isTRUE" | "isFALSE" | "all" | "any"
        | "as.logical" => Some(ValueType::Boolean),
        "matrix" => Some(ValueType::Number.array().array()),
        "data.frame" => Some(ValueType::Rows),
        "list" => Some(ValueType::Object),
        "rep" => repeated(node, source),
        name if name.starts_with("is.") => Some(ValueType::Boolean),
        _ => None,
    }
}

fn repeated(node: Node<'_>, source: &str) -> Option<ValueType> {
    let first = node.child_by_field_name("arguments")?.child_by_field_name("argument")?;
    let value = fold(first.child_by_field_name("value")?, source);
    match (value.value_type(), value) {
        (_, Constant::List(_)) | (None, _) => None,
        (Some(array @ ValueType::Array(_)), _) => Some(array),
        (Some(kind), _) => Some(kind.array()),
    }
}

//! The type of an expression that only R can evaluate, where the expression alone determines it:
//! `2/3`, `1:n`, `length(x)`.

use formats::type_phrase::ValueType;
use tree_sitter::Node;

use super::{Constant, fold};

/// The type of the expression at a node, or `None` if it depends on anything else.
pub(super) fn infer_type(node: Node<'_>, source: &str) -> Option<ValueType> {
    let text = &source[node.byte_range()];
    match node.kind() {
        "binary_operator" => infer_operation(node, source),
        "unary_operator" if text.starts_with('!') => Some(ValueType::Boolean),
        "call" => infer_call(node, source),
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

fn infer_operation(node: Node<'_>, source: &str) -> Option<ValueType> {
    let side = |name| node.child_by_field_name(name).map(|side| fold(side, source).value_type());
    match &source[node.child_by_field_name("operator")?.byte_range()] {
        "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => Some(ValueType::Boolean),
        // R makes integers of whole bounds and doubles of others; number covers both.
        ":" => Some(ValueType::Number.array()),
        // Arithmetic is elementwise, so the result is a scalar only if neither side is a vector.
        "+" | "-" | "*" | "/" | "^" => {
            let sides = [side("lhs")?, side("rhs")?];
            let has_number = sides
                .iter()
                .flatten()
                .any(|side| matches!(side, ValueType::Number | ValueType::Integer));
            let has_array = sides.iter().flatten().any(|side| matches!(side, ValueType::Array(_)));
            (has_number && !has_array).then_some(ValueType::Number)
        }
        _ => None,
    }
}

/// The type that functions of base R return whatever their arguments are.
fn infer_call(node: Node<'_>, source: &str) -> Option<ValueType> {
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
        "rep" => infer_repetition(node, source),
        name if name.starts_with("is.") => Some(ValueType::Boolean),
        _ => None,
    }
}

/// `rep(0, n)` is a vector of the type of its first argument.
fn infer_repetition(node: Node<'_>, source: &str) -> Option<ValueType> {
    let first = node.child_by_field_name("arguments")?.child_by_field_name("argument")?;
    let value = fold(first.child_by_field_name("value")?, source);
    match value.value_type()? {
        _ if matches!(value, Constant::List(_)) => None,
        array @ ValueType::Array(_) => Some(array),
        element => Some(element.array()),
    }
}

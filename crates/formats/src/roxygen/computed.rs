//! The type of what only R can compute, where the expression itself says it: `2/3`, `1:n`, `length(x)`.

use tree_sitter::Node;

use super::{
    constant::{Constant, fold},
    kind::Kind,
};

/// The type of an expression, if there is no doubt about it.
pub(super) fn kind(node: Node<'_>, source: &str) -> Option<Kind> {
    let text = &source[node.byte_range()];
    match node.kind() {
        "binary_operator" => operation(node, source),
        "unary_operator" if text.starts_with('!') => Some(Kind::Boolean),
        "call" => called(node, source),
        "string" => Some(Kind::Text),
        "identifier" if text == "pi" => Some(Kind::Number),
        "extract_operator" => match text {
            ".Machine$integer.max" => Some(Kind::Integer),
            ".Machine$double.eps" | ".Machine$double.xmax" | ".Machine$double.xmin" => {
                Some(Kind::Number)
            }
            _ => None,
        },
        _ => None,
    }
}

fn operation(node: Node<'_>, source: &str) -> Option<Kind> {
    let side = |name| node.child_by_field_name(name).map(|side| Kind::of(&fold(side, source)));
    match &source[node.child_by_field_name("operator")?.byte_range()] {
        "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => Some(Kind::Boolean),
        ":" => Some(Kind::Number.array()),
        "+" | "-" | "*" | "/" | "^" => {
            let sides = [side("lhs")?, side("rhs")?];
            let is_number =
                |kind: &Option<Kind>| matches!(kind, Some(Kind::Number | Kind::Integer));
            let is_several = |kind: &Option<Kind>| matches!(kind, Some(Kind::Array(_)));
            (sides.iter().any(is_number) && !sides.iter().any(is_several)).then_some(Kind::Number)
        }
        _ => None,
    }
}

/// What functions of R itself return, whatever they are given.
fn called(node: Node<'_>, source: &str) -> Option<Kind> {
    match &source[node.child_by_field_name("function")?.byte_range()] {
        "length" | "nrow" | "ncol" | "NROW" | "NCOL" | "nlevels" | "as.integer" => {
            Some(Kind::Integer)
        }
        "sqrt" | "exp" | "log" | "log10" | "mean" | "median" | "min" | "max" | "sum" | "sd"
        | "var" | "as.numeric" => Some(Kind::Number),
        "seq_len" | "seq_along" | "seq" | "range" | "runif" | "rnorm" => Some(Kind::Number.array()),
        "interactive" | "inherits" | "identical" | "isTRUE" | "isFALSE" | "all" | "any"
        | "as.logical" => Some(Kind::Boolean),
        "matrix" => Some(Kind::Number.array().array()),
        "data.frame" => Some(Kind::Rows),
        "list" => Some(Kind::Object),
        "rep" => repeated(node, source),
        name if name.starts_with("is.") => Some(Kind::Boolean),
        _ => None,
    }
}

fn repeated(node: Node<'_>, source: &str) -> Option<Kind> {
    let first = node.child_by_field_name("arguments")?.child_by_field_name("argument")?;
    let value = fold(first.child_by_field_name("value")?, source);
    match (Kind::of(&value), value) {
        (_, Constant::List(_)) | (None, _) => None,
        (Some(array @ Kind::Array(_)), _) => Some(array),
        (Some(kind), _) => Some(kind.array()),
    }
}

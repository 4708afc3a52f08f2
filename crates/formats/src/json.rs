//! JSON with locations: a tree in which every value has its span of bytes.
//!
//! The parser recovers from mistakes with an obvious meaning (an extra or missing comma, a raw line
//! break, a comment) and reports each, so that one run finds all problems of a file.

mod node;
mod number;
mod parser;
mod problem;
mod text;

pub use node::{Member, Node, Span, Value};
pub use parser::{MAX_DEPTH, Parsed, parse};
pub use problem::SyntaxProblem;

//! JSON with places: a tree whose every value knows its bytes.
//!
//! The parser goes on after what it can repair (a comma too many or too few, a raw line break, a
//! comment) and says so. It is not a validator of anything above JSON.

mod node;
mod number;
mod parser;
mod problem;
mod text;

pub use node::{Member, Node, Span, Value};
pub use parser::{MAX_DEPTH, Parsed, parse};
pub use problem::Problem;

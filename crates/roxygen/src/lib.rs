//! Compiles the roxygen2 comments of an R package to definitions of RAVE tools.
//!
//! Text in, definitions and diagnostics out. Nothing is evaluated and no file is read: R source is
//! parsed, comments are read as text, and whatever only R could know is reported. `source` finds
//! blocks and functions, `block` splits a block into tags, `markup` and `plain` read Rd and
//! Markdown, `parameter` and `returns` make schemas, `package` resolves documentation that functions
//! share, and `compile` assembles the definitions.

mod block;
mod code;
mod compile;
mod computed;
mod constant;
mod definition;
mod description;
mod keywords;
mod markdown;
mod markup;
mod omissible;
mod package;
mod parameter;
mod plain;
mod plural;
mod remarks;
mod returns;
mod rules;
mod skeleton;
mod source;
mod template;
mod values;

pub use code::ExampleCode;
pub use compile::{Compiled, compile, compile_with};
pub use definition::{Definition, Measured, Writer, writer_of};
pub use rules::RULES;

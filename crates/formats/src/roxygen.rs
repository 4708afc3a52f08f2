//! roxygen2 comments and R source in; definitions of RAVE tools out.
//!
//! Nothing is evaluated and nothing is run: R is parsed, text is read, and whatever cannot be known
//! that way is said. `source` finds blocks and functions, `block` their tags, `markup` and `plain`
//! read text, `phrase` and `kind` know types, `package` puts tools together.

mod block;
mod code;
mod compile;
mod computed;
mod constant;
mod definition;
mod description;
mod keywords;
mod kind;
mod markdown;
mod markup;
mod omissible;
mod package;
mod parameter;
mod phrase;
mod plain;
mod plural;
mod reader;
mod remarks;
mod returns;
mod skeleton;
mod source;
mod template;
mod values;

pub use code::ExampleCode;
pub use compile::{Compiled, compile, compile_with};
pub use definition::{Definition, Measured, Writer, writer_of};

/// The schema of the type that a description begins with, if it is set off from the rest or names a data frame.
pub(crate) fn said_type(description: &str) -> Option<serde_json::Value> {
    let plain = plain::Plain { text: description.to_owned(), ..Default::default() };
    let phrase = phrase::leading(&plain)?;
    let is_clear = phrase.rest.is_some() || phrase.kind == kind::Kind::Rows;
    (is_clear && !phrase.is_foreign).then(|| phrase.kind.schema())
}

//! Compiles the roxygen2 comments of an R package to definitions of RAVE tools.
//!
//! Text in, definitions and diagnostics out. Nothing is evaluated and no file is read: R source is
//! parsed, comments are read as text, and whatever only R could know is reported. The stages:
//!
//! 1. `source` finds blocks and the functions after them, `block` splits a block into tags, and
//!    `constant` folds defaults.
//! 2. `package` resolves documentation that functions share or inherit.
//! 3. `compile` makes a definition of each tool, with `parameter` and `returns` for the schemas;
//!    `markup`, `markdown` and `plain_text` read the text of tags.
//! 4. `plan` decides which definition files of the package change.

mod block;
mod compile;
mod constant;
mod definition;
mod description;
mod example_code;
mod keywords;
mod markdown;
mod markup;
mod outline;
mod package;
mod param;
mod parameter;
mod parameter_examples;
mod plain_text;
mod plan;
mod record;
mod reporter;
mod returns;
mod rules;
mod source;
mod template;
mod tex;

pub use compile::{Compilation, compile};
pub use definition::{Definition, FileAuthor};
pub use example_code::ExampleCode;
pub use keywords::add_keywords;
pub use plan::{ChangePlan, FileChange, ForeignFile, OtherBuilderFiles, plan_changes};
pub use record::ExampleRecord;
pub use rules::RULES;

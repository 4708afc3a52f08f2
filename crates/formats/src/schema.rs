//! Checks JSON Schemas in definitions without compiling them, which would be slow and would report
//! only the first problem.

mod check;
mod pattern;
pub(crate) mod reference;

pub(crate) use check::SchemaCheck;
pub(crate) use pattern::check_pattern;

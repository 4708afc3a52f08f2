//! The backend of R functions: warm workers that are called by frames of R's own serialization.
//!
//! Nothing here starts R before a function of R is called, and nothing needs an R package beyond
//! those that come with R.

mod arguments;
mod call;
mod collect;
mod conversation;
mod decode;
mod deparse;
mod encode;
mod json;
mod message;
mod report;
mod time;
mod value;

pub(crate) use arguments::encoded;
pub(crate) use deparse::call as deparsed;

/// What a worker runs.
pub(crate) const SCRIPT: &str = include_str!("r/worker.R");

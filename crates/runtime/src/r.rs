//! The backend of R functions: warm workers, one for each session, that are called by frames of R's
//! own serialization.
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
mod outlet;
mod patience;
mod report;
mod session;
mod state;
mod time;
mod value;
mod worker;
mod workers;

pub(crate) use arguments::encoded;
pub use call::with_handle;
pub(crate) use deparse::call as deparsed;
pub use session::Session;
pub(crate) use worker::PIPES;
pub(crate) use workers::Workers;

/// What a worker runs.
pub(crate) const SCRIPT: &str = include_str!("r/worker.R");

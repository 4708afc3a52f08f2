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
mod missing;
mod report;
mod time;
mod value;

pub(crate) use arguments::encoded;
pub(crate) use call::prewarm;
pub(crate) use deparse::call as deparsed;
pub use missing::with_missing;

/// R code that makes namespaces of sources: it defines the list `.toolcrib_sourcing`, whose
/// `sourced(package, path, tell_lacking)` gives the namespace.
pub const R_SOURCING: &str = include_str!("r/sourcing.R");

/// What a worker runs. Code that runs once is not worth compiling, which takes R longer than all the rest of its start.
pub(crate) const SCRIPT: &str = concat!(
    "invisible(.Internal(enableJIT(0L)))\n",
    include_str!("r/sourcing.R"),
    include_str!("r/worker.R")
);

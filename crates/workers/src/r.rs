//! R functions, called in warm workers with messages in R's serialization format.
//!
//! The worker needs base R alone.

mod approved_sources;
mod arguments;
mod call;
mod collect;
mod command;
mod conversation;
mod decode;
mod deparse;
mod encode;
mod json;
mod message;
mod missing;
mod replay;
mod report;
mod time;
mod value;

pub use call::RCall;
pub use missing::with_missing;
pub use replay::decode_replies;

/// R code that loads a package from its sources: it defines the list `.toolcrib_sourcing`, whose
/// function `load_sources(package, path, report_missing)` returns the namespace.
pub const R_SOURCING: &str = include_str!("r/sourcing.R");

/// The script that a worker runs. The just-in-time compiler is off while it is loaded: compiling
/// code that runs once takes longer than the rest of R's start.
const SCRIPT: &str = concat!(
    "invisible(.Internal(enableJIT(0L)))\n",
    include_str!("r/sourcing.R"),
    include_str!("r/worker.R")
);

//! Warm workers: processes that wait for calls of functions, one for each session and for what they
//! may touch. What is common to the languages; what is said to a worker is theirs.
//!
//! Nothing here starts a process before a function is called.

mod ending;
mod handle;
mod outlet;
mod patience;
mod session;
mod spares;
mod state;
mod terms;
mod worker;
mod workers;

pub(crate) use ending::{died, stopped};
pub use handle::with_handle;
pub(crate) use patience::{Patience, Why};
pub use session::Session;
pub(crate) use session::{Language, Place};
pub(crate) use state::{Life, Snapshot};
pub(crate) use terms::Terms;
pub(crate) use worker::{Bounds, Broken, Ears, PIPES, Worker};
pub(crate) use workers::{Start, Workers};

//! The backend of Python functions: warm workers that are called by frames of JSON.
//!
//! Nothing here starts Python before a function of Python is called, and nothing needs a package beyond
//! its standard library.

mod call;
mod conversation;
mod literal;

pub(crate) use literal::call as written;

/// What a worker runs.
pub(crate) const SCRIPT: &str = include_str!("python/worker.py");

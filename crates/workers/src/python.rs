//! Python functions, called in warm workers with JSON messages.
//!
//! The worker needs Python's standard library alone.

mod call;
mod command;
mod conversation;
mod literal;

pub use call::PythonCall;
pub use command::python_folders;

/// The script that a worker runs.
const SCRIPT: &str = include_str!("python/worker.py");

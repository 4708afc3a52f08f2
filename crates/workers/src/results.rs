//! Outcomes of returned values: of R and Python functions, and of programs that print JSON.
//!
//! A value is checked against the output schema of its tool, and truncated if it is too long for an
//! outcome; the full value then goes to a [`ResultSink`].

mod json_result;
mod mismatch;
mod returned;

use futures_util::future::BoxFuture;
use process::{OutputFile, OutputSink};

pub use json_result::{
    JsonResultOptions, MAX_JSON_BYTES, build_failed_outcome, build_outcome, find_reported_failure,
};
pub use mismatch::check_outcome;
pub(crate) use mismatch::describe_differences;
pub(crate) use returned::{JsonBudget, MAX_KEPT_MEMBERS, ReturnedValue, stdout_content};
pub use returned::{link, stderr_content};

/// Provides files for values and output streams that are too long for an outcome.
pub trait ResultSink: OutputSink {
    /// A new file for the returned value as JSON; `None` if it cannot be created.
    fn open_value(&self) -> BoxFuture<'_, Option<OutputFile>>;
}

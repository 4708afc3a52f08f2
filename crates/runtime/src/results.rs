//! Converts a finished program to an outcome: text for a model, fields for a program.

mod denial;
mod json_program;
mod long_failure;
mod process;

pub(crate) use denial::explain_failed_function;
pub(crate) use json_program::build_json_outcome;
pub(crate) use long_failure::bound_failure;
pub(crate) use process::build_process_outcome;
pub use process::process_output_schema;

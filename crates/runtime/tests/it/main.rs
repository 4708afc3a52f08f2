//! What a caller sees of a call: real programs, real kernels.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod answers;
mod approvals;
mod bounds;
mod command_line;
mod confinement;
mod crib;
mod hosting;
mod logging;
mod natives;
mod operations;
mod output;
mod paths;
mod programs;
mod python;
mod r;
mod reach;
mod redirects;
mod running;
mod sequences;

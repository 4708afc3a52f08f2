//! Calls as a caller sees them, with real programs on a real kernel.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod answers;
mod approval_requests;
mod approvals;
mod approved_plans;
mod bounds;
mod command_line;
mod confinement;
mod hosting;
mod links_in_arguments;
mod logging;
mod lost_calls;
mod many_values;
mod natives;
mod operations;
mod output;
mod paths;
mod pieces;
mod programs;
mod progress;
mod python;
mod r;
mod reach;
mod redirects;
mod running;
mod secrets;
mod sequences;

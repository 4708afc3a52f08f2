//! One call from arguments to outcome.
//!
//! [`Runtime::call`] is the one path that every call of every tool takes: arguments are checked
//! against the served schema, policy is asked, a [`Plan`] is made, and a backend (a program or a
//! native function) carries it out. This is the only crate that starts processes, and `spawn.rs`
//! the only file in it that does. It reads no configuration and no environment: it is handed
//! [`Settings`].

mod availability;
mod call;
mod capture;
mod confine;
mod folder;
mod native;
mod outputs;
mod plan;
mod policy;
mod process;
mod refusal;
mod report;
mod settings;
mod spawn;
mod stragglers;

pub use call::{Call, Runtime};
pub use confine::{Support, confinement};
pub use plan::Plan;
pub use report::process_output_schema;
pub use settings::Settings;

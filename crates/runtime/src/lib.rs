//! One call from arguments to outcome.
//!
//! [`Runtime::call`] is the one path that every call of every tool takes: arguments are checked
//! against the served schema, policy is asked, a [`Plan`] is made, and a backend (a program or a
//! native function) carries it out. This is the only crate that starts processes, and `spawn.rs`
//! the only file in it that does. It reads no configuration and no environment: it is handed
//! [`Settings`].

mod answer;
mod approval;
mod ask;
mod audit;
mod availability;
mod call;
mod capture;
mod clock;
mod confine;
mod digest;
mod folder;
mod host;
mod inherited;
pub mod journal;
mod lanes;
mod log;
mod mismatch;
mod native;
pub mod operation;
mod operations;
mod outputs;
mod peer;
mod plan;
mod preview;
mod process;
mod processes;
mod python;
mod r;
mod redirect;
mod refusal;
pub mod render;
mod report;
mod returned;
mod sequence;
mod settings;
mod spawn;
mod tap;
mod warm;
mod watch;

pub use approval::{Approval, Digest};
pub use ask::{Answer, Question, ask};
pub use audit::AuditLine;
pub use call::{Call, Runtime};
pub use clock::{Clock, timestamp};
pub use confine::{Support, confinement};
pub use digest::{arguments_digest, tool_digest, value_digest};
pub use folder::wait_for_cleanup;
pub use log::CALLS;
pub use operations::{Event, EventKind, Operations, Until, Viewer};
pub use outputs::is_long_output;
pub use peer::Peer;
pub use plan::Plan;
pub use r::{R_SOURCING, with_missing};
pub use report::process_output_schema;
pub use settings::Settings;
pub use warm::{Session, with_handle};

//! Warm R and Python processes that call functions.
//!
//! A [`WorkerPool`] keeps at most one worker per [`Session`], language and set of access rights, so
//! that a call costs about as much as the function itself. Functions can keep state between calls;
//! what R keeps is copied out after each change, so that it survives a crash. No process is started
//! before the first call, and neither language needs packages beyond its standard ones.
//!
//! [`results`] turns returned values into outcomes, for these functions and for programs that print
//! JSON.

mod call_options;
mod deadline;
mod killed;
mod pipe;
mod pool;
mod profile;
mod python;
mod r;
pub mod results;
mod session;
mod session_argument;
mod settings;
mod spares;
mod state;
mod worker;
mod worker_failure;

pub use call_options::{ApprovedFiles, CallObserver, CallOptions};
pub use killed::killed;
pub use pool::{SessionCaller, SessionLease, WorkerPool};
pub use python::{PythonCall, python_folders};
pub use r::{R_SOURCING, RCall, decode_replies, with_missing};
pub use session::Session;
pub use session_argument::with_session_argument;
pub use settings::WorkerSettings;

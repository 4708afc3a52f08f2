//! Assembles a crib so that it can be listed, called and served.
//!
//! [`Assembly`] puts a workspace, a runtime, the stores, the built-in tools and the flags together;
//! each part is made when it is first used. [`ServedCrib`] adds a server to it, and keeps that
//! server up to date when definitions, documents or flags change. Faces (the command line, a web
//! page, an editor) ask for what they show; none of them assembles its own.

mod approver;
mod assembly;
pub mod background;
mod built_ins;
mod call_log;
mod client_rules;
mod connection;
mod definitions_log;
mod error;
mod flags;
mod http_token;
pub mod learn;
mod packing;
mod persistence;
mod plural;
mod providers;
pub mod queue;
pub mod report;
mod rules;
mod served;
pub mod servers;
mod snapshot;
mod stored_cribs;
mod user_store;

pub use approver::{Approver, CredentialError};
pub use assembly::{Assembly, Options, Reloaded, Tools};
pub use call_log::{LogEvent, LogFilter, LogFollower, LogRecord, LogState, read_log};
pub use client_rules::check_clients;
pub use connection::{Change, ClientFile, ConnectionError, ConnectionState};
pub use error::AssemblyError;
pub use flags::OnFlagChange;
pub use http_token::open_token;
pub use packing::{CribFiles, read_crib_files};
pub use persistence::Persistence;
pub use plural::count;
pub use rules::rules;
pub use served::{ServedCrib, Watched};
pub use snapshot::{Sessions, describer, find_tool, served_name};
pub use stored_cribs::{StoredCrib, recent_cribs};

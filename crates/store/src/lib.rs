//! The persistent state of a server: operations, approvals, the audit log, and values that tools
//! and users store.
//!
//! [`Store`] is a journal in embedded SQLite, in the state folder of a crib, with the audit log in
//! a file next to it. All servers of a crib share it. This is the only crate with SQL. It starts no
//! programs and makes no decisions; the runtime decides what to record.

mod approvals;
mod audit;
mod connection;
mod database_file;
mod database_thread;
mod digest_key;
mod error;
mod key_value;
mod operations;
mod record;
mod retention;
mod schema;
mod server_lock;
mod store;

pub use audit::{LogRetention, audit_files};
pub use error::OpenError;
pub use store::Store;

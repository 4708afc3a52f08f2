//! What survives a server: operations, approvals, the audit, and what tools and the user keep.
//!
//! [`Store`] is the journal on disk: embedded SQLite in the state folder of a crib, shared by every
//! server of that crib, and a file of audit lines beside it. This is the only crate with SQL. It
//! starts nothing and decides nothing; what is remembered is the runtime's business.

mod approvals;
mod audit;
mod connection;
mod error;
mod kept;
mod operations;
mod record;
mod retention;
mod schema;
mod store;
mod threads;

pub use error::OpenError;
pub use store::Store;

//! Why a crib could not be assembled.

use toolkit::{BadPrefix, ToolsetError};
use workspace::WatchError;

/// Why a crib could not be assembled or watched.
#[derive(Debug, thiserror::Error)]
pub enum AssemblyError {
    /// The prefix for native tools cannot be part of a tool name.
    #[error("{0}")]
    Prefix(BadPrefix),
    /// The built-in tools contradict each other.
    #[error("{0}")]
    BuiltIns(ToolsetError),
    /// The store of the crib cannot be opened, and [`crate::Persistence::Required`] was requested.
    #[error(transparent)]
    Store(#[from] store::OpenError),
    /// The files of the crib cannot be watched.
    #[error(transparent)]
    Watch(#[from] WatchError),
}

//! Tools over the Model Context Protocol, on stdio and streamable HTTP.
//!
//! A [`Server`] answers from an immutable [`Snapshot`] of the catalog, forwards calls to the
//! runtime and resources and prompts to their providers, and speaks every protocol revision with
//! the same tools. It reads no files and knows no definition format: whoever reads definitions
//! hands it a new snapshot. This is the only crate with protocol types.

mod audience;
mod calls;
pub mod client;
mod completion;
mod connection;
mod content;
pub mod control;
mod delivery;
mod dialect;
mod era;
mod exchange;
mod gate;
pub mod guard;
mod http;
mod lifetime;
mod listening;
mod output;
mod prompts;
mod questions;
mod resources;
mod rounds;
mod schema;
mod seal;
mod server;
mod snapshot;
mod stdio;
mod tasks;

pub use http::{HttpOptions, serve_http};
pub use server::{Identity, Server};
pub use snapshot::{Snapshot, SnapshotOptions};
pub use stdio::{serve_pipes, serve_stdio, serve_stdio_until};

/// Why a server stopped serving.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The machine failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The address can be reached from other machines, and nothing would keep them out.
    #[error("`{0}` can be reached from other machines; listen on 127.0.0.1 or give a token")]
    NeedsToken(std::net::SocketAddr),
    /// The client broke the protocol in a way that cannot be answered.
    #[error("the connection could not be opened: {0}")]
    Protocol(String),
}

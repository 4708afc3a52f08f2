//! Tools over the Model Context Protocol, on stdio and streamable HTTP.
//!
//! A [`Server`] answers from an immutable [`Snapshot`] of the catalog, forwards calls to the
//! runtime and resources and prompts to their providers, and serves every protocol revision with
//! the same tools. It reads no files and knows no definition format: its host replaces the snapshot
//! when definitions change. This is the only crate with protocol types.
//!
//! From the bottom up: `era`, `questions` and `request_state` are about single messages; `rendering`
//! turns tools into wire types, and `snapshot` serves them; [`Server`] is shared by all connections; `connection` is the state
//! of one client; `calls`, `prompts`, `resources`, `tasks` and `task_subscriptions` answer requests;
//! `handler` dispatches to them; `stdio`, `transport` and `http` carry messages.

mod active_request;
pub mod background;
mod calls;
mod camel_case;
pub mod client;
mod connection;
mod content;
pub mod control;
mod delivery;
mod era;
mod handler;
mod http;
mod methods;
mod operation_watcher;
mod output_schema;
mod prompts;
mod questions;
mod rendering;
mod request_limiter;
mod request_state;
mod resources;
mod response_sent;
mod round_trips;
mod schema;
mod server;
mod shutdown;
mod snapshot;
mod stdio;
mod subscribers;
mod task_subscriptions;
mod tasks;
pub mod transport;
mod write_order;

pub use http::{HttpOptions, serve_http};
pub use rendering::OutputSchemas;
pub use schema::to_served_schema;
pub use server::{Identity, Server};
pub use snapshot::{Snapshot, SnapshotOptions};
pub use stdio::{serve_pipes, serve_stdio, serve_stdio_until};

/// Why a server stopped serving.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// An I/O error of the listener or a pipe.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The address is reachable from other machines, and no token is set.
    #[error("`{0}` can be reached from other machines; listen on 127.0.0.1 or set a token")]
    NeedsToken(std::net::SocketAddr),
    /// The client broke the protocol in a way that has no error response.
    #[error("could not open the connection: {0}")]
    Protocol(String),
}

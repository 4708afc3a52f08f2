//! MCP clients: where each of them keeps its servers, how an entry looks there, and edits of these
//! files that keep comments, order and formatting.
//!
//! Everything here is text in, text out. [`CLIENTS`] is the table; [`Client::editor`] returns the editor
//! for the syntax of a client's file.

mod client;
mod edit;
mod entry;
mod location;
mod table;

pub use client::{Client, Scope};
pub use edit::{EditError, Editor};
pub use entry::{Authorization, Server, TOKEN_VARIABLE, Transport, server_name};
pub use location::Folders;
pub use table::{CLIENTS, find};

//! MCP clients: where each client configures its servers, the form of an entry, and edits of these
//! files that keep comments, order and formatting; also which schemas each client accepts, and
//! looser schemas for clients that do not accept all.
//!
//! Everything here is text in, text out. [`CLIENTS`] is the table; [`Client::editor`] returns the
//! editor for the syntax of a client's file.

mod client;
mod edit;
mod entry;
mod location;
mod lower;
mod rules;
mod schema;
mod table;

pub use client::{Client, Scope};
pub use edit::{EditError, Editor, add_json_schema};
pub use entry::{Authorization, Server, TOKEN_VARIABLE, Transport, server_name};
pub use location::Folders;
pub use lower::Lowered;
pub use rules::{
    Advertised, ClientRule, Effect, Handling, Problem, RULES, find_losses, find_problems, lower,
    render_rules, restore_arguments,
};
pub use schema::visit_schemas;
pub use table::{CLIENTS, find, find_by_info};

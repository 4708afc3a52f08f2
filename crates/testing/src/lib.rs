//! Fixtures for the integration tests of all crates. Only ever a development dependency.
//!
//! Unit tests inside a crate cannot use it: they would see a second copy of their own crate.
//!
//! - [`TempCrib`] is a crib in a temporary folder, and runs the `toolcrib` binary on it;
//!   [`normalize`] makes its output comparable.
//! - [`StdioClient`], [`HttpServer`] and [`HttpClient`] talk to a server process in raw messages.
//! - `RuntimeFixture` (feature `runtime`) calls tools through a runtime, without a server.
//! - [`shared_corpus`] and [`own_corpus`] find definitions to read.
//! - [`skip_without!`] and [`skip`] end a test that cannot run on this machine, and fail it in CI.
//! - [`SmallDisk`] is full soon.
//! - [`wait_until_blocking`], and `wait_until` and `wait_for` (feature `async`), wait with a
//!   deadline.

mod command_output;
mod corpus;
mod http_client;
mod http_message;
mod http_server;
mod normalize;
mod outcome;
mod processes;
mod protocol;
#[cfg(feature = "runtime")]
mod runtime_fixture;
mod skip;
mod small_disk;
mod stdio_client;
mod temp_crib;
mod tools;
mod wait;

pub use command_output::CommandOutput;
pub use corpus::{own_corpus, repository, shared_corpus};
pub use http_client::HttpClient;
pub use http_message::{HttpResponse, request_head};
pub use http_server::HttpServer;
pub use normalize::normalize;
pub use outcome::{field, structured, text};
pub use processes::{
    count_programs, host_pid, inner_pid, is_command_running, is_process_running, peak_memory_mib,
};
pub use protocol::{LEGACY, MODERN, initialize_params, notification, request, request_meta};
#[cfg(feature = "runtime")]
pub use runtime_fixture::{RuntimeFixture, settings_in};
pub use skip::{has_programs, skip};
pub use small_disk::SmallDisk;
pub use stdio_client::StdioClient;
pub use temp_crib::{TempCrib, definition, run_outside_crib, toolcrib_path};
pub use tools::{allow_all, echo_tool, object, process_tool, schema, script_tool};
pub use wait::{TIMEOUT, wait_until_blocking};
#[cfg(feature = "async")]
pub use wait::{wait_for, wait_until};

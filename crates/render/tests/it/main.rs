//! Renders documents with every backend.

#![expect(clippy::unwrap_used, reason = "a failed test may panic")]
#![expect(clippy::print_stderr, reason = "a skipped test must be visible")]

mod containers;
mod docker_daemon;
mod failures;
mod fixture;
mod local;
mod render_folder;

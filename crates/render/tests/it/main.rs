//! Renders documents with every backend.

#![expect(clippy::unwrap_used, reason = "a failed test may panic")]

mod containers;
mod docker_daemon;
mod failures;
mod local;
mod render_fixture;
mod render_folder;

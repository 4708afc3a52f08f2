//! Documents, rendered for real by every backend.

#![expect(clippy::unwrap_used, reason = "a failed test may panic")]
#![expect(clippy::print_stderr, reason = "a skipped test must be visible")]

mod bad;
mod containers;
mod fixture;
mod local;
mod render_folder;

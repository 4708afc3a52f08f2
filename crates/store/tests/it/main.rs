//! What survives: the journal's promises, several servers, broken files, full disks, killed servers.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod crib;
mod faults;
mod journal;
mod killing;
mod sharing;

//! Durability: the journal's contract, several servers, corrupt files, full disks, killed servers.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "the number of kills is worth seeing")]

mod digests;
mod faults;
mod growth;
mod journal;
mod killing;
mod servers;
mod sharing;

//! Folders and configurations, as their users see them.

mod always;
mod harness;
mod packages;
mod page;
mod policies;

//! Folders and configurations, as their users see them.

mod always;
mod harness;
mod page;
mod policies;

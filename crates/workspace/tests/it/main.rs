//! Folders and configurations, as their users see them.

mod always;
mod flags;
mod harness;
mod page;
mod policies;
mod projects;
mod specifications;

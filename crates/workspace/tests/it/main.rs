//! Folders and configurations, as their users see them.

mod always;
mod contents;
mod documents;
mod flags;
mod harness;
mod limits;
mod packages;
mod page;
mod policies;
mod projects;
mod specifications;

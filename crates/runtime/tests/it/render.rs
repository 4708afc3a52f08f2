//! Documents, rendered for real by every backend.

mod bad;
mod containers;
mod local;
mod studio;

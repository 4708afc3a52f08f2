//! Documents, rendered for real by every backend.

mod bad;
mod local;
mod studio;

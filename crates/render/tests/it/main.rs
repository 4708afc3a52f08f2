//! Documents, rendered for real by every backend.

mod bad;
mod containers;
mod fixture;
mod local;
mod render_folder;

//! The built-in tools as a caller sees them.

mod await_;
mod cancel;
mod desk;
mod flags;
mod join;
mod office;
mod results;
mod status;

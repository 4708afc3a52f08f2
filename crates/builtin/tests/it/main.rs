//! The built-in tools as a caller sees them.

mod await_;
mod cancel;
mod content;
mod guide;
mod join;
mod office;
mod results;
mod status;
mod templates;

//! The built-in tools as a caller sees them.

mod await_;
mod books;
mod cancel;
mod content;

mod join;
mod office;
mod results;
mod status;
mod templates;

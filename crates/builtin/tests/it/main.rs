//! The built-in tools as a caller sees them.

mod await_;
mod books;
mod cancel;
mod content;
mod desk;
mod documents;
mod flags;
mod office;
mod prompts;
mod reports;
mod results;
mod rmd;
mod status;
mod study;
mod templates;

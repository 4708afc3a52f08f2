//! R sources in; definitions and diagnostics out.

mod build;
mod documented;
mod keywords;
mod pages;
mod probe;
mod shared;

//! R sources in; definitions and diagnostics out.

mod compiling;
mod corpus;
mod keywords;
mod markup;
mod package;
mod pages;
mod parameters;
mod planning;
mod probe;
mod returns;
mod robustness;

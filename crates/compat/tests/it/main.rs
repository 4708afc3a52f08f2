//! Two versions of tools, and how the difference affects callers.

mod catalogs;
mod drift;
mod examples;
mod history;
mod laws;
mod schemas;
mod tools;

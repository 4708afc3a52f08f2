//! Two versions of tools, and how the difference affects callers.

mod catalogs;
mod corpus;
mod drift;
mod examples;
mod history;
mod laws;
mod schemas;
mod tools;

//! The lints, as a user of the crate sees them: tools in, diagnostics out.

mod catalog_rules;
mod corpus;
mod examples;
mod names;
mod parameters;
mod safety;
mod specifications;
mod text;
mod tools;

//! Definition text in; tools and diagnostics out.

mod bad_input;
mod command_line;
mod consent;
mod corpus;
mod equivalence;
mod guidance;
mod harness;
mod inheritance;
mod json;
mod locating;
mod parameters;
mod rules;
mod sequences;
mod specs;
mod tree;
mod written;

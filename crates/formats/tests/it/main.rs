//! Definition text in; tools and diagnostics out.

mod bad_input;
mod command_line;
mod consent;
mod convert;
mod corpus;
mod equivalence;
mod expressions;
mod front_matter;
mod guidance;
mod inheritance;
mod json;
mod locate;
mod network;
mod parameters;
mod prompts;
mod rave;
mod reading;
mod rules;
mod schema_tools;
mod sequences;
mod shared_corpus;
mod specs;
mod tree;

//! Definition text in; tools and diagnostics out.

mod bad_input;
mod command_line;
mod consent;
mod converting;
mod corpus;
mod equivalence;
mod expressions;
mod front_matter;
mod guidance;
mod harness;
mod inheritance;
mod json;
mod locating;
mod own_corpus;
mod parameters;
mod prompts;
mod rave;
mod rules;
mod sequences;
mod specs;
mod tree;
mod written;

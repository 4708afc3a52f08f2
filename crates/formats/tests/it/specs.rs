//! Markdown specifications: what is read from them, however they are written.

mod corpus;


//! Rules over the tool model: what a reader cannot see because it looks at one definition only, or
//! because it is a matter of meaning and not of form.
//!
//! A rule is one file in `rules/` and one line in the table of [`rules`](crate::RULES). It sees
//! tools, not the syntax they were written in, and neither files nor the clock.

mod check;
mod phrase;
mod rules;
mod text;
mod words;

pub use check::{Context, Findings, Scope, check, check_each, check_together};
pub use rules::RULES;

//! Rules over the tool model: problems that a reader of one definition cannot see, because they
//! involve several definitions, or because they concern the meaning and not the syntax.
//!
//! A rule is one file in `rules/` and one line in the table behind [`RULES`]. It sees tools, not
//! the syntax in which they were written, and neither files nor the clock.

mod check;
mod context;
mod phrase;
mod prose;
mod rules;
mod sink;
mod text;

pub use check::{Findings, check, check_catalog, check_each, check_tools};
pub use context::{Context, Scope};
pub use rules::{
    RULES,
    client_loses_tool::{COMMON_CLIENTS, RULE as CLIENT_LOSES_TOOL},
};

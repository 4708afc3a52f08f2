//! Pages and terminal text, as they come out.

mod error_type;
mod harness;
mod page;
mod pages;
mod property;
mod rule;
mod site;
mod sizes;
mod terminal;

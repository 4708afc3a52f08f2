//! The tool model under every format, and what can be said about it.
//!
//! Everything here is plain data and pure functions: no files, clock, environment, async or
//! protocol types. Readers make [`Tool`]s, [`Catalog::merge`] puts them in order, and the crates
//! around this one check, document, run and serve them.

pub mod arguments;
mod consent;
mod description;
mod diagnostic;
mod glob;
pub mod launch;
mod merge;
pub mod name;
mod origin;
mod outcome;
pub mod policy;
mod schema;
mod secret;
mod similar;
mod tool;

pub use consent::Consent;
pub use description::{Description, Example};
pub use diagnostic::{Diagnostic, Rule, Severity};
pub use glob::{Glob, GlobError};
pub use launch::Launch;
pub use merge::{Catalog, DUPLICATE_NAME};
pub use origin::{Origin, Place, SourceId};
pub use outcome::{Content, ErrorForm, Failure, Outcome};
pub use policy::{Decision, Policy};
pub use schema::{Schema, SchemaError};
pub use secret::REDACTED;
pub use similar::closest;
pub use tool::{Availability, Concurrency, Marks, Mode, Parameter, Tool};

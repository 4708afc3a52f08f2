//! The tool model under every format, with diagnostics, argument validation, policy and outcomes.
//!
//! Everything here is plain data and pure functions: no files, clock, environment, async or
//! protocol types. Format readers build [`Tool`]s, [`Catalog::merge`] collects them, and the other
//! crates check, document, run and serve them.

mod allowance;
pub mod arguments;
pub mod budget;
mod consent;
mod constraint;
mod custom_rule;
mod description;
mod diagnostic;
mod error_type;
pub mod failures;
pub mod flag;
mod given_code;
mod glob;
pub mod implementation;
pub mod markdown;
mod merge;
pub mod name;
mod network;
mod origin;
mod outcome;
pub mod pointer;
pub mod policy;
mod safety;
mod schema;
mod secret;
mod similar;
pub mod spec_details;
mod switch;
mod tool;

pub use allowance::Allowance;
pub use consent::Consent;
pub use custom_rule::{CustomRule, CustomRuleText};
pub use description::{Description, Example};
pub use diagnostic::{Diagnostic, Rule, Severity, remove_repeated};
pub use error_type::{ErrorType, Fault};
pub use given_code::{find_script, runs_named_files};
pub use glob::{Glob, GlobError};
pub use implementation::Implementation;
pub use merge::{Catalog, DIVERGED_COPY, DUPLICATE_NAME};
pub use network::{Host, HostPort, NetworkAccess, NetworkError};
pub use origin::{Location, Origin, SourceId};
pub use outcome::{Content, ErrorForm, Failure, Outcome};
pub use policy::{Decision, Policy};
pub use safety::{find_safety_annotation, is_secret_mark};
pub use schema::{FoundErrors, Schema, SchemaError, SchemaValidator};
pub use secret::REDACTED;
pub use similar::closest;
pub use spec_details::SpecDetails;
pub use switch::{Switch, apply_switches};
pub use tool::{
    Annotations, Availability, Concurrency, Constraint, ErrorDetail, Mode, OnMismatch, Parameter,
    StepLocation, Tool,
};

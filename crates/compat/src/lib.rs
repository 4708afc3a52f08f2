//! Compatibility of two versions of a tool or a catalog: which changes there are, how each affects
//! callers, and which version they require.
//!
//! [`compare`] pairs the tools of two catalogs (also renamed ones) and walks their schemas side by
//! side. Each difference is a [`Change`] with a rule from the table [`CHANGES`]. A rule has one
//! effect for input and one for output, because the two directions are mirror images: a parameter
//! may accept more than before, a result may promise more than before.
//!
//! JSON Schema inclusion is undecidable in general (and expensive where it is not), so this is not
//! a prover: it understands the keywords that tool schemas are made of. A difference that it cannot
//! judge is reported as undecided and counts as breaking until a person allows it.
//!
//! [`find_drift`] applies the same comparison to a live server: the definitions are the old
//! version, the tools that the server lists are the new one.

mod change;
mod comparison;
mod drift;
mod rename;
mod rules;
mod schema;
mod text;
mod version;

pub use change::{Change, ChangeRule, Class, Direction, Effect, ExampleKind};
pub use comparison::{ToolComparison, compare, compare_tools};
pub use drift::{RULES as DRIFT_RULES, find_drift};
pub use rules::CHANGES;
pub use version::{Bump, VersionCheck};

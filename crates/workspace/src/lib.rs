//! From a folder and its configuration to a catalog.
//!
//! The only reader of definition files, configuration and environment variables. It starts nothing
//! and serves nothing: what it returns is data for those who do.

mod always;
mod config;
mod crib;
mod date;
mod discover;
mod environment;
mod examples;
mod files;
mod groups;
mod loader;
mod package;
mod parallel;
mod policy;
mod sources;
mod watch;

pub use always::always_allow;
pub use config::{Bind, Config, Confine, CribConfig, Descriptions, Errors, Http, Limits, config_schema};
pub use crib::{Crib, OpenError};
pub use environment::Environment;
pub use examples::{Examples, Ran};
pub use files::{Files, LARGEST_FILE};
pub use groups::{GroupError, Groups};
pub use loader::{Loaded, Loader, check_paths};
pub use package::{Build, Change, PackageError, RPackage};
pub use policy::PolicyClause;
pub use watch::{WatchError, Watcher, watch};

/// Every problem that reading a crib can find, beyond those of the formats and lints.
pub static RULES: &[&catalog::Rule] = &[
    &config::BROKEN_CONFIG,
    &files::UNREADABLE_FILE,
    &loader::USELESS_BIND,
    &policy::BROKEN_POLICY,
    &policy::USELESS_POLICY,
    &policy::EXPIRED_POLICY,
    &policy::LASTING_PERMISSION,
    &policy::PRESUMED_ARGUMENT,
    &package::FOREIGN_FILE,
    &package::STALE_FILE,
    &examples::FAILED_EXAMPLE,
    &examples::NO_R,
];

//! From a folder and its configuration to a catalog.
//!
//! The only reader of definition files, configuration and environment variables. It starts nothing
//! and serves nothing: what it returns is data for those who do.

mod allow;
mod bind;
mod build;
mod clause;
mod config;
mod content;
mod crib;
mod custom_rules;
mod date;
mod definition;
mod discover;
mod documents;
mod environment;
mod files;
mod fix;
mod flags;
mod groups;
mod judging;
mod loader;
mod lock;
mod parallel;
mod paths;
mod policy;
mod policy_proposal;
mod project;
mod prompts;
mod revision;
mod sources;
mod standalone;
mod watch;

pub use allow::AllowClause;
pub use bind::{Bind, OutputCheck};
pub use build::{Build, Change, ExampleRecord, ExampleRunner, ExampleRuns, PackageError, RPackage};
pub use clause::Clause;
pub use config::{
    Config, Confine, CribConfig, Descriptions, Errors, Http, Limits, PromptsConfig, config_schema,
};
pub use content::{CategoryConfig, CollectionConfig, Content, ContentConfig};
pub use crib::{Crib, OpenError};
pub use custom_rules::{RuleClause, RuleSeverity};
pub use documents::{Documents, DocumentsConfig, RenderBackend};
pub use environment::Environment;
pub use files::{Files, LARGEST_FILE};
pub use fix::{FixError, Fixed, fix_crib, fix_paths};
pub use flags::{FlagDefaults, FlagsConfig, SwitchClause};
pub use groups::{GroupError, Groups};
pub use loader::{Loaded, Loader, check_text};
pub use lock::{Drift, LOCK, Lock, LockError};
pub use paths::{check_paths, read_paths};
pub use policy::PolicyClause;
pub use policy_proposal::propose_policy_clause;
pub use project::resolve_project;
pub use prompts::GUIDE_TOOLS;
pub use revision::{Checkout, Revision, RevisionError};
pub use standalone::{StandaloneFile, read_standalone_file};
pub use watch::{Changes, WatchError, Watcher, watch};

/// Every problem that reading a crib can find, beyond those of the formats and lints.
pub static RULES: &[&catalog::Rule] = &[
    &config::BROKEN_CONFIG,
    &files::UNREADABLE_FILE,
    &bind::USELESS_BIND,
    &bind::BROKEN_BIND,
    &bind::SHADOWED_BIND,
    &bind::UNKNOWN_TARGET,
    &bind::CIRCULAR_BIND,
    &bind::NO_FUNCTION_NAME,
    &bind::NO_MODULE_FOLDER,
    &policy::BROKEN_POLICY,
    &policy::USELESS_POLICY,
    &policy::EXPIRED_POLICY,
    &policy::LASTING_PERMISSION,
    &policy::PRESUMED_ARGUMENT,
    &flags::BROKEN_FLAG,
    &flags::BROKEN_SWITCH,
    &flags::USELESS_SWITCH,
    &content::BAD_NAME,
    &content::MISSING_FOLDER,
    &content::BROKEN_PATTERN,
    &content::BROKEN_COLLECTION,
    &content::AMBIGUOUS_NAME,
    &documents::BROKEN_DOCUMENTS,
    &documents::FORBIDDEN_BACKEND,
    &build::FOREIGN_FILE,
    &build::STALE_FILE,
    &build::FAILED_EXAMPLE,
    &build::NO_R,
    &allow::BROKEN_ALLOW,
    &allow::USELESS_ALLOW,
    &custom_rules::BROKEN_RULE,
    &custom_rules::FAILED_RULE,
    &catalog::DIVERGED_COPY,
];

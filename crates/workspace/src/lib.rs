//! Reads a folder of tool definitions, or a git revision of it, and its configuration into a
//! catalog.
//!
//! [`Crib::open`] reads `toolcrib.toml`, [`Loader::load`] the definitions, prompts and documents;
//! [`check_paths`] and [`read_standalone_file`] read files that are not in a crib. Everything
//! returns data: running and serving tools is left to other crates. Listing and checking start no
//! program. Two features do: [`Revision`] runs git to read earlier definitions, and
//! [`ExampleRunner`] runs R for the examples of a package that is built.
//!
//! No other crate reads definitions, configuration (`files`) or environment variables
//! (`environment`).

mod allow;
mod bind;
mod build;
mod checked_cribs;
mod clause;
mod config;
mod config_errors;
mod configured_paths;
mod content;
mod crib;
mod custom_rules;
mod definition;
mod definition_cache;
mod discover;
mod document_problems;
mod documents;
mod environment;
mod export_config;
mod files;
mod fix;
mod flag_defaults;
mod flags;
mod format_files;
mod groups;
mod linting;
mod loaded;
mod loader;
mod lock;
mod misplaced;
mod native_names;
mod parallel;
mod paths;
mod policy;
mod policy_proposal;
mod program_names;
mod program_profiles;
mod project;
mod prompts;
mod python_functions;
mod r_packages;
mod r_sources;
mod render_settings;
mod revision;
mod serve_config;
mod site_config;
mod standalone;
mod tool_profiles;
mod unconfined;
mod watch;

pub use allow::AllowClause;
pub use bind::{Bind, OutputCheck};
pub use build::{
    Build, Change, ExampleRecord, ExampleRunner, ExampleRuns, OtherBuilderFiles, PackageError,
    RPackage,
};
pub use clause::Clause;
pub use config::{
    Config, Confine, CribConfig, Descriptions, Errors, Http, Limits, LogConfig, PromptsConfig,
    config_schema,
};
pub use content::{CategoryConfig, CollectionConfig, Content, ContentConfig};
pub use crib::{Crib, OpenError};
pub use custom_rules::{RuleClause, RuleSeverity};
pub use document_problems::check_documents;
pub use documents::{Documents, DocumentsConfig, RenderBackend};
pub use environment::Environment;
pub use export_config::ExportConfig;
pub use files::{Files, LARGEST_FILE};
pub use fix::{FixError, FixReport, fix_crib, fix_paths};
pub use flag_defaults::FlagDefaults;
pub use flags::{FlagsConfig, SwitchClause};
pub use format_files::{FormattedFile, OnDifference, format_files};
pub use groups::{GroupError, Groups};
pub use loaded::Loaded;
pub use loader::{Loader, check_text};
pub use lock::{Drift, LOCK, Lock, LockError};
pub use native_names::GUIDE_TOOLS;
pub use paths::{check_paths, read_paths};
pub use policy::PolicyClause;
pub use policy_proposal::propose_policy_clause;
pub use program_profiles::{Credentials, ProgramConfig};
pub use project::resolve_project;
pub use python_functions::UNUSABLE_MODULE;
pub use r_packages::{has_r_package, missing_r_packages};
pub use revision::{Checkout, Revision, RevisionError};
pub use serve_config::{ClientName, ServeConfig, ServedOutputSchemas};
pub use site_config::{SiteConfig, SiteUrl};
pub use standalone::{StandaloneFile, read_standalone_file};
pub use tool_profiles::{ProfileClause, ToolProfile};
pub use watch::{Changes, WatchError, Watcher, watch};

/// The rules for reading a crib, in addition to those of `formats` and `lint`.
pub static RULES: &[&catalog::Rule] = &[
    &clause::BROKEN_CONFIG,
    &files::UNREADABLE_FILE,
    &misplaced::MISPLACED_DEFINITION,
    &python_functions::UNUSABLE_MODULE,
    &python_functions::MISSING_FUNCTION,
    &python_functions::OTHER_PARAMETERS,
    &configured_paths::MISSING_PATH,
    &program_names::USELESS_PROGRAM,
    &unconfined::NO_SANDBOX,
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
    &tool_profiles::BROKEN_PROFILE,
    &tool_profiles::USELESS_PROFILE,
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
    &r_packages::MISSING_PACKAGE,
    &allow::BROKEN_ALLOW,
    &allow::USELESS_ALLOW,
    &custom_rules::BROKEN_RULE,
    &custom_rules::FAILED_RULE,
    &catalog::DIVERGED_COPY,
];

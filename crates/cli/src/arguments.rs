//! The arguments that do not belong to one command.

use std::path::PathBuf;

use clap::Args;

/// The heading of these flags, which separates them from those of a command.
const GLOBAL: &str = "Global options";

/// The flags of every command.
#[derive(Args, Clone, Default)]
pub(crate) struct Global {
    /// Use the crib in this folder [default: the nearest parent folder with a toolcrib.toml, else the
    /// current folder].
    #[arg(short = 'C', long = "crib", global = true, value_name = "DIR", help_heading = GLOBAL)]
    pub(crate) crib: Option<PathBuf>,
    /// Log on standard error at this level: error, warn, info, debug or trace [default:
    /// TOOLCRIB_LOG, else info for serve and warn elsewhere].
    #[arg(long, global = true, value_name = "LEVEL", help_heading = GLOBAL)]
    pub(crate) log_level: Option<String>,
    /// Log as JSON, one object per line.
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) log_json: bool,
}

/// The flags of the MTDF guide, which are used without a command.
#[derive(Args, Default)]
#[group(multiple = false)]
pub(crate) struct GuideFlags {
    /// Check all definitions of the crib, like `check`.
    #[arg(long)]
    pub(crate) validate_tools: bool,
    /// Check one definition and print the result as one JSON document.
    #[arg(long, value_name = "FILE")]
    pub(crate) validate_schema: Option<PathBuf>,
    /// Check all definitions and show each tool as it was read.
    #[arg(long)]
    pub(crate) debug_validation: bool,
    /// Write a page for each tool, like `docs`.
    #[arg(long)]
    pub(crate) generate_docs: bool,
}

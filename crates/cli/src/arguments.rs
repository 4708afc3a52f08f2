//! The arguments that do not belong to one command.

use std::path::PathBuf;

use clap::Args;

/// The heading of these flags, which separates them from those of a command.
const GLOBAL: &str = "Global options";
/// The heading of flags that have been replaced by commands.
const GUIDE: &str = "Flags of the MTDF guide, for compatibility";

/// When output is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The flags of every command.
#[derive(Args, Clone, Default)]
pub(crate) struct Global {
    /// Use the crib in this folder [default: the nearest folder upward with a toolcrib.toml or a
    /// tools folder, else the current folder].
    #[arg(short = 'C', long = "crib", global = true, value_name = "DIR", help_heading = GLOBAL)]
    pub(crate) crib: Option<PathBuf>,
    /// Add the tools of an installed R package to the crib. Repeatable.
    #[arg(long = "package", global = true, value_name = "NAME", help_heading = GLOBAL)]
    pub(crate) packages: Vec<String>,
    /// Log more on standard error; twice for everything that helps to find a problem.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = GLOBAL)]
    pub(crate) verbose: u8,
    /// Log only errors, and show no progress.
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = GLOBAL)]
    pub(crate) quiet: bool,
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Colour::Auto, hide_default_value = true, help_heading = GLOBAL)]
    pub(crate) color: Colour,
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
    #[arg(long, help_heading = GUIDE)]
    pub(crate) validate_tools: bool,
    /// Check one definition and print the result as one JSON document.
    #[arg(long, value_name = "FILE", help_heading = GUIDE)]
    pub(crate) validate_schema: Option<PathBuf>,
    /// Check all definitions and show each tool as it was read.
    #[arg(long, help_heading = GUIDE)]
    pub(crate) debug_validation: bool,
    /// Write a page for each tool, like `docs`.
    #[arg(long, help_heading = GUIDE)]
    pub(crate) generate_docs: bool,
}

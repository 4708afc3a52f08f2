//! The command line, as clap reads it. Each command's own arguments stand in the command's file.

use std::path::PathBuf;

use clap::{Args, Parser};

use crate::commands::Command;

/// Takes tool definitions into one catalog, checks them, and serves them to AI agents over MCP.
#[derive(Parser)]
#[command(name = "toolcrib", version, disable_help_subcommand = true, subcommand_required = false)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(flatten)]
    pub(crate) guide: GuideFlags,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What every command takes.
#[derive(Args, Clone, Default)]
pub(crate) struct Global {
    /// The crib: a folder with definitions [default: the nearest folder upward with a toolcrib.toml, else this one].
    #[arg(short = 'C', long = "crib", global = true, value_name = "DIR")]
    pub(crate) crib: Option<PathBuf>,
    /// What is logged on standard error: error, warn, info, debug or trace [default: TOOLCRIB_LOG, else info for serve and warn elsewhere].
    #[arg(long, global = true, value_name = "LEVEL")]
    pub(crate) log_level: Option<String>,
    /// Log as JSON, one object a line.
    #[arg(long, global = true)]
    pub(crate) log_json: bool,
}

/// The flags of the MTDF guide, which stand without a command.
#[derive(Args, Default)]
#[group(multiple = false)]
pub(crate) struct GuideFlags {
    /// Check all definitions of the crib, as `check` does.
    #[arg(long)]
    pub(crate) validate_tools: bool,
    /// Check one definition and print what is wrong as one JSON document.
    #[arg(long, value_name = "FILE")]
    pub(crate) validate_schema: Option<PathBuf>,
    /// Check all definitions and show how each was understood.
    #[arg(long)]
    pub(crate) debug_validation: bool,
    /// Write a page for each tool, as `docs` does.
    #[arg(long)]
    pub(crate) generate_docs: bool,
}

//! `schema`: JSON Schemas for editors.

use std::process::ExitCode;

use clap::ValueEnum;

use super::{CommandContext, CommandResult};
use crate::terminal;

/// Print a JSON Schema, with which editors check and complete files.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Kind of file.
    #[arg(value_enum)]
    of: Of,
}

#[derive(Clone, Copy, ValueEnum)]
enum Of {
    /// Command-line tools as JSON.
    Mtdf,
    /// R functions as YAML.
    Rave,
    /// tool_guidance.json.
    Guidance,
    /// toolcrib.toml.
    Config,
}

pub(crate) fn run(_: &CommandContext<'_>, args: &Args) -> CommandResult {
    let schema = match args.of {
        Of::Mtdf => formats::mtdf_schema(),
        Of::Rave => formats::rave_schema(),
        Of::Guidance => formats::guidance_schema(),
        Of::Config => workspace::config_schema(),
    };
    terminal::line(&serde_json::to_string_pretty(&schema).expect("a schema is JSON"));
    Ok(ExitCode::SUCCESS)
}

//! `schema`: JSON Schemas for editors.

use std::process::ExitCode;

use clap::builder::TypedValueParser;
use formats::FORMATS;
use serde_json::Value;

use super::{CommandContext, CommandResult};
use crate::{
    choice::{self, Choice},
    terminal,
};

/// Print a JSON Schema, with which editors check and complete files.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Kind of file.
    #[arg(value_name = "KIND", value_parser = parser())]
    of: fn() -> Value,
}

/// Accepts every format that has a schema, and the configuration.
fn parser() -> impl TypedValueParser<Value = fn() -> Value> {
    let of_format = |format: &&formats::Format| {
        Some(Choice { name: format.name, help: format.summary, value: format.schema? })
    };
    let config = Choice {
        name: "config",
        help: "toolcrib.toml",
        value: workspace::config_schema as fn() -> Value,
    };
    choice::parser(FORMATS.iter().filter_map(of_format).chain([config]).collect())
}

pub(crate) fn run(_: &CommandContext<'_>, args: &Args) -> CommandResult {
    terminal::print_line(&serde_json::to_string_pretty(&(args.of)()).expect("a schema is JSON"));
    Ok(ExitCode::SUCCESS)
}

//! `version`: the version of the program.

use std::process::ExitCode;

use super::{CommandContext, CommandResult};
use crate::terminal;

/// Print the version.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &CommandContext<'_>, _: &Args) -> CommandResult {
    terminal::print_line(concat!("toolcrib ", env!("CARGO_PKG_VERSION")));
    Ok(ExitCode::SUCCESS)
}

//! `completions`: the script that makes a shell complete commands, options, tools and parameters.

mod nushell;
pub(crate) mod proposals;

use std::process::ExitCode;

use super::{CommandContext, CommandResult};
use crate::{
    choice::{self, Choice},
    error::CommandError,
    terminal,
};

/// Print a script that completes commands, options, the names of tools and their parameters.
///
/// The shell asks this program for each word, so that the proposals are those of the crib you are
/// in.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell.
    #[arg(value_parser = choice::parser(list_shells()))]
    shell: &'static str,
}

fn list_shells() -> Vec<Choice<&'static str>> {
    proposals::SHELLS.names().map(|name| Choice { name, help: "", value: name }).collect()
}

pub(crate) fn run(_: &CommandContext<'_>, args: &Args) -> CommandResult {
    let script = proposals::write_script(args.shell);
    let script = script.map_err(|error| CommandError::machine(error.to_string()))?;
    terminal::print_line(script.trim());
    Ok(ExitCode::SUCCESS)
}

//! `reload`: ask running servers to reload.

use std::process::ExitCode;

use host::servers;

use super::{CommandContext, CommandResult};
use crate::{error::CommandError, executor::block_on, terminal};

/// Ask the running servers of the crib to reload its definitions.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(context: &CommandContext<'_>, _: &Args) -> CommandResult {
    let crib = context.crib()?;
    let sockets = servers::sockets_of(&crib.state_folder());
    let answers = block_on(servers::send(&sockets, servers::RELOAD))?;
    if answers.is_empty() {
        return Err(CommandError::machine(format!(
            "no server of `{}` is running",
            crib.folder.display()
        ))
        .hint("start one with `toolcrib serve`"));
    }
    answers.iter().for_each(|answer| terminal::print_line(answer));
    Ok(ExitCode::SUCCESS)
}

//! `reload`: ask running servers to reload.

use std::process::ExitCode;

use host::servers::{self, CommandReply};

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
    let mut silent = Vec::new();
    for answer in answers {
        match answer {
            CommandReply::Answered(text) => terminal::print_line(&text),
            CommandReply::Silent(process) => silent.push(process),
        }
    }
    if silent.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let seconds = servers::ANSWER_TIMEOUT.as_secs();
    let processes = silent.join(", ");
    Err(CommandError::machine(format!(
        "no answer within {seconds} s from the server with process id {processes}"
    ))
    .hint("the process may be stopped: resume it with `kill -CONT`, or kill it"))
}

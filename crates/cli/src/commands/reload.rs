//! `reload`: ask running servers to read their files again.

use std::process::ExitCode;

use super::{CallServices, CommandResult};
use crate::{error::CommandError, keeper, servers, terminal};

/// Ask the running servers of the crib to read its definitions again.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(here: &CallServices<'_>, _: &Args) -> CommandResult {
    let crib = here.crib()?;
    let sockets = servers::of_crib(&crib.state_folder());
    let answers = keeper::block_on(servers::tell(&sockets, "reload"))?;
    if answers.is_empty() {
        return Err(CommandError::machine(format!(
            "no server runs on `{}`",
            crib.folder.display()
        ))
        .hint("start one with `toolcrib serve`"));
    }
    answers.iter().for_each(|answer| terminal::line(answer));
    Ok(ExitCode::SUCCESS)
}

//! `down`: stops the background server.

use std::process::ExitCode;

use host::background::Background;

use super::{
    CommandContext, CommandResult,
    up::{connect_error, describe},
};
use crate::{executor::block_on, terminal};

/// Stop the background server of the crib; its running operations are cancelled.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(context: &CommandContext<'_>, _: &Args) -> CommandResult {
    let crib = context.crib()?;
    let stopped = block_on(Background::of(&crib).stop())?.map_err(|error| connect_error(&error))?;
    match stopped {
        Some(status) => terminal::print_line(&format!("stopped: {}", describe(&crib, &status))),
        None => terminal::print_line(&format!("not running: {}", crib.folder.display())),
    }
    Ok(ExitCode::SUCCESS)
}

//! `reload`: ask running servers to read their files again.

use std::{fs, path::PathBuf, process::ExitCode};

use server::control;

use super::{CommandResult, Surroundings};
use crate::{error::CommandError, terminal};

/// Ask the running servers of the crib to read its definitions again.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(here: &Surroundings<'_>, _: &Args) -> CommandResult {
    let crib = here.crib()?;
    let sockets = sockets(&crib.state_folder());
    let driver = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let driver = driver.map_err(|error| CommandError::machine(format!("cannot start: {error}")))?;
    let mut answered = 0;
    for socket in sockets {
        // A socket without a server behind it was left by one that was killed.
        if let Ok(answer) = driver.block_on(control::send(&socket, "reload")) {
            terminal::line(&answer);
            answered += 1;
        }
    }
    match answered {
        0 => Err(CommandError::machine(format!("no server runs on `{}`", crib.folder.display()))
            .hint("start one with `toolcrib serve`")),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The control sockets in a crib's state folder.
fn sockets(state: &std::path::Path) -> Vec<PathBuf> {
    let is_socket = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "sock");
    let mut found: Vec<_> =
        fs::read_dir(state).into_iter().flatten().flatten().map(|entry| entry.path()).filter(is_socket).collect();
    found.sort();
    found
}

//! `up`: a background server.

use std::{ffi::OsString, fs, process::ExitCode};

use host::background::{Background, Status, VERSION};
use workspace::Crib;

use super::{CommandContext, CommandResult};
use crate::{error::CommandError, executor::block_on, terminal};

/// Start a background server for the crib: `serve` on stdio joins it, so that operations outlive
/// their client.
///
/// Clients need no other configuration. Without a background server, `serve` serves on its own, and
/// operations end with their client.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Report whether it runs; exits with 1 if it does not.
    #[arg(long)]
    status: bool,
}

/// Number of log lines that are printed if the server does not start.
const LOG_LINES: usize = 10;

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let crib = context.crib()?;
    let background = Background::of(&crib);
    let running = block_on(background.status())?.map_err(|error| connect_error(&error))?;
    match running {
        Some(status) if status.version != VERSION => Err(other_version(&status)),
        Some(status) => {
            terminal::print_line(&format!("running: {}", describe(&crib, &status)));
            Ok(ExitCode::SUCCESS)
        }
        None if args.status => {
            terminal::print_line(&format!("not running: {}", crib.folder.display()));
            Ok(ExitCode::FAILURE)
        }
        None => start(context, &crib, &background),
    }
}

fn start(context: &CommandContext<'_>, crib: &Crib, background: &Background) -> CommandResult {
    let mut arguments: Vec<OsString> = vec!["-C".into(), crib.folder.clone().into()];
    arguments.extend(["serve", "--background"].map(OsString::from));
    let level = context.global.log_level.iter().flat_map(|level| ["--log-level", level]);
    arguments.extend(level.map(OsString::from));
    let started = block_on(background.start(&arguments))?;
    let log = background.log_file();
    match started.map_err(|error| CommandError::machine(format!("cannot start: {error}")))? {
        Some(status) => {
            terminal::print_line(&format!("started: {}", describe(crib, &status)));
            terminal::note(&format!(
                "clients join it when they start `toolcrib serve`; its log is {}",
                log.display()
            ));
            Ok(ExitCode::SUCCESS)
        }
        None => {
            let text = fs::read_to_string(&log).unwrap_or_default();
            let lines: Vec<_> = text.lines().rev().take(LOG_LINES).collect();
            lines.iter().rev().for_each(|line| terminal::note(line));
            Err(CommandError::machine("the background server did not start")
                .hint(format!("its log is {}", log.display())))
        }
    }
}

/// Describes a running server in one line.
pub(super) fn describe(crib: &Crib, status: &Status) -> String {
    let clients = host::count(status.clients, "client");
    format!("`{}` in process {}, {clients}", crib.name(), status.pid)
}

pub(super) fn connect_error(error: &std::io::Error) -> CommandError {
    CommandError::machine(format!("cannot reach the background server: {error}"))
        .hint("the process may be stopped: resume it with `kill -CONT`, or kill it")
}

fn other_version(status: &Status) -> CommandError {
    CommandError::machine(format!(
        "version {} runs in process {}, this is version {VERSION}",
        status.version, status.pid
    ))
    .hint("run `toolcrib down`, then `toolcrib up`")
}

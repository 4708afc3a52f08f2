//! `lock`: pin the whole set of tools, and notice what changed since.

use std::process::ExitCode;

use catalog::Severity;
use host::{Options, count};
use workspace::{LOCK, Lock, LockError};

use super::{CommandContext, CommandResult};
use crate::{error::CommandError, terminal};

/// Pin the whole set of tools in `toolcrib.lock`, or check that they are as pinned.
///
/// Pinned are the tools that the crib defines: their names, descriptions, schemas, annotations and how they are run. With --check,
/// exits with 0 if all are as pinned, 1 if one is new, gone or another, 2 if it could not run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if a tool is not as it was pinned.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let assembly = context.assemble(Options::default())?;
    let (crib, loaded) = (assembly.crib(), assembly.loaded());
    let errors = loaded.count(Severity::Error);
    if errors > 0 {
        terminal::note(&format!(
            "{} in definitions: tools with errors are not pinned; run `toolcrib check`",
            count(errors, "error")
        ));
    }
    let now = Lock::from_catalog(&loaded.catalog);
    let pinned = Lock::read(crib);
    let drift = pinned.as_ref().map(|lock| lock.find_drift(&now)).unwrap_or_default();
    if args.check {
        pinned.map_err(told)?;
        drift.iter().for_each(|drift| terminal::line(&drift.to_string()));
        terminal::note(&match drift.len() {
            0 => format!("{} as pinned", count(now.len(), "tool")),
            differing => format!(
                "{} not as pinned; `toolcrib lock` pins them as they are now",
                count(differing, "tool")
            ),
        });
        return Ok(ExitCode::from(u8::from(!drift.is_empty())));
    }
    let is_written = now.write(crib).map_err(told)?;
    drift.iter().for_each(|drift| terminal::line(&drift.to_string()));
    let what = if is_written { "pinned" } else { "as pinned" };
    terminal::note(&format!("{} {what} in {LOCK}", count(now.len(), "tool")));
    Ok(ExitCode::SUCCESS)
}

fn told(error: LockError) -> CommandError {
    let hint = match &error {
        LockError::Missing(_) => "`toolcrib lock` writes it",
        LockError::Broken { .. } => "`toolcrib lock` writes it anew, if that is meant",
        LockError::File { .. } => "check the file and its permissions",
    };
    CommandError::machine(error.to_string()).hint(hint)
}

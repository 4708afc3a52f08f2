//! `lock`: pin all tools, and report tools that changed since.

use std::process::ExitCode;

use catalog::Severity;
use host::{Options, count};
use workspace::{Crib, LOCK, Lock, LockError};

use super::{CommandContext, CommandResult};
use crate::{
    error::{CommandError, ErrorKind},
    terminal,
};

/// Pin all tools in `toolcrib.lock`, or check that they match it.
///
/// Pins the tools that the crib defines: names, descriptions, schemas, annotations, how they are
/// run, and the scripts and modules in the crib that they run. A tool that is new or differs is not
/// served until it is accepted. With `--check`, exits with 0 if all tools match, 1 if one is new,
/// missing or different, 2 if it could not run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if a tool differs from toolcrib.lock.
    #[arg(long)]
    check: bool,
    /// Pin this tool as it is now, and no other.
    #[arg(long, value_name = "NAME", conflicts_with = "check")]
    accept: Option<String>,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let assembly = context.assemble(Options::default())?;
    let (crib, loaded) = (assembly.crib(), assembly.loaded());
    if loaded.files == 0 && matches!(Lock::read(crib), Err(LockError::Missing(_))) {
        return Err(CommandError::new(ErrorKind::NotFound, "there are no definitions to pin here")
            .hint("name the crib with `-C`"));
    }
    let errors = loaded.count(Severity::Error);
    if errors > 0 {
        terminal::note(&format!(
            "{} in definitions: tools with errors are not pinned; run `toolcrib check` to see them",
            count(errors, "error")
        ));
    }
    let now = Lock::from_catalog(crib, &loaded.catalog);
    let pinned = Lock::read(crib);
    if let Some(name) = &args.accept {
        return accept(crib, &pinned.map_err(lock_error)?, &now, name);
    }
    let drift = pinned.as_ref().map(|lock| lock.find_drift(&now)).unwrap_or_default();
    if args.check {
        // Only `--check` needs a valid lock file; otherwise a broken one is replaced.
        pinned.map_err(lock_error)?;
        drift.iter().for_each(|drift| terminal::print_line(&drift.to_string()));
        terminal::note(&match drift.len() {
            0 => format!("{LOCK} is up to date: {}", count(now.len(), "tool")),
            differences => format!(
                "{} from {LOCK}; run `toolcrib lock --accept NAME` to accept a tool, or `toolcrib lock` for all",
                count(differences, "difference")
            ),
        });
        return Ok(ExitCode::from(u8::from(!drift.is_empty())));
    }
    let is_written = now.write(crib).map_err(lock_error)?;
    drift.iter().for_each(|drift| terminal::print_line(&drift.to_string()));
    let tools = count(now.len(), "tool");
    terminal::note(&if is_written {
        format!("pinned {tools} in {LOCK}")
    } else {
        format!("{LOCK} is up to date: {tools}")
    });
    Ok(ExitCode::SUCCESS)
}

/// Accepts one tool as it is now.
fn accept(crib: &Crib, pinned: &Lock, now: &Lock, name: &str) -> CommandResult {
    let Some(accepted) = pinned.accept(now, name) else {
        let message = format!("neither the crib nor {LOCK} has a tool `{name}`");
        return Err(CommandError::new(ErrorKind::NotFound, message)
            .hint("run `toolcrib lock --check` to see the tools that differ"));
    };
    let changed = accepted.write(crib).map_err(lock_error)?;
    terminal::note(&if changed {
        format!("accepted `{name}`")
    } else {
        format!("`{name}` already matches {LOCK}")
    });
    Ok(ExitCode::SUCCESS)
}

fn lock_error(error: LockError) -> CommandError {
    let hint = match &error {
        LockError::Missing(_) => "run `toolcrib lock` to write it",
        LockError::Broken { .. } => "restore the file, or run `toolcrib lock` to replace it",
        LockError::File { .. } => "check the file and its permissions",
    };
    CommandError::machine(error.to_string()).hint(hint)
}

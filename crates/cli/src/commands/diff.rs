//! `diff`: what changed between two versions of tools, and the version that needs.

mod human;
mod json;

use std::{path::PathBuf, process::ExitCode};

use catalog::{Diagnostic, Severity};
use clap::ValueEnum;
use lint::compare::{Compared, compare};
use workspace::{Loaded, check_paths};

use super::{CommandResult, Surroundings};
use crate::{error::CommandError, keeper, terminal};

/// Compare two versions of tools: what changed, what that does to callers, and which version it needs.
///
/// Exits with 0 if every declared version is high enough, 1 if one is too low, 2 if it could not run. `toolcrib explain
/// RULE` says more about a change.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The version before: a file or a folder.
    old: PathBuf,
    /// The version now: a file or a folder.
    new: PathBuf,
    /// How changes are printed.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people: by tool, the worst changes first.
    Human,
    /// For programs: one versioned object.
    Json,
}

pub(crate) fn run(here: &Surroundings<'_>, args: &Args) -> CommandResult {
    let (old, new) = (read(here, &args.old)?, read(here, &args.new)?);
    let tools = compare(&old.catalog, &new.catalog);
    match args.format {
        Format::Human => human::print(&tools),
        Format::Json => json::print(&tools),
    }
    Ok(ExitCode::from(u8::from(!is_ok(&tools))))
}

fn is_ok(tools: &[Compared]) -> bool {
    tools.iter().all(|tool| tool.verdict().ok)
}

/// Whether a file is no definition at all, rather than one with mistakes in it.
fn is_unreadable(diagnostic: &Diagnostic) -> bool {
    diagnostic.is_error() && (diagnostic.code.starts_with("TC0") || diagnostic.code.starts_with("TC6"))
}

/// Reads one side. What cannot be read at all cannot be compared; what has errors in it is compared without them.
fn read(here: &Surroundings<'_>, side: &PathBuf) -> Result<Loaded, CommandError> {
    let loaded = check_paths(std::slice::from_ref(side), here.environment)?;
    let errors = loaded.count(Severity::Error);
    let shown = side.display();
    let hint = format!("`toolcrib check {shown}` shows what is wrong");
    if loaded.catalog.tools().is_empty() && loaded.diagnostics.iter().any(is_unreadable) {
        return Err(CommandError::machine(format!("no tool in `{shown}` can be read")).hint(hint));
    }
    if errors > 0 {
        terminal::note(&format!("{} in `{shown}`: tools with errors count as absent; {hint}", keeper::count(errors, "error")));
    }
    Ok(loaded)
}

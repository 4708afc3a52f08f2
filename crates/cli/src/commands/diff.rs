//! `diff`: what changed between two versions of tools, and the version that needs.

mod human;
mod json;
mod side;

use std::{path::Path, process::ExitCode};

use clap::ValueEnum;
use compat::{Compared, compare};
use workspace::Crib;

use super::{CommandContext, CommandResult};
use crate::error::CommandError;

/// Compare two versions of tools: what changed, what that does to callers, and which version it needs.
///
/// A version is a file, a folder, or one of them in a revision of the git repository: `HEAD~1:tools` is the folder `tools` one
/// commit ago, `origin/main:` everything on that branch. Exits with 0 if every declared version is high enough, 1 if one is
/// too low, 2 if it could not run. `toolcrib explain RULE` says more about a change.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The version before.
    old: String,
    /// The version now.
    new: String,
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

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let (old, new) = side::read_both(context, &args.old, &args.new)?;
    let mut tools = compare(&old, &new);
    allow(&judging(context, &args.new)?, &mut tools);
    match args.format {
        Format::Human => human::print(&tools),
        Format::Json => json::print(&tools),
    }
    Ok(ExitCode::from(u8::from(!is_ok(&tools))))
}

/// The crib whose configuration counts: the one that is named, else that of the new version, else the one here.
fn judging(context: &CommandContext<'_>, new: &str) -> Result<Crib, CommandError> {
    let path = Path::new(new);
    match context.global.crib.is_none() && path.exists() {
        true => Ok(Crib::open_containing(path, context.environment)?),
        false => context.crib(),
    }
}

/// Annotations the changes that the crib allows, with its reasons.
fn allow(crib: &Crib, tools: &mut [Compared]) {
    for tool in tools {
        for change in &mut tool.changes {
            change.allowed = crib.reason_to_allow_change(change.rule.name, &tool.name);
        }
    }
}

fn is_ok(tools: &[Compared]) -> bool {
    tools.iter().all(|tool| tool.verdict().ok)
}

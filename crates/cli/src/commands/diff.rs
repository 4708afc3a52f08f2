//! `diff`: the changes between two versions of tools, and the version number they need.

mod github;
mod human;
mod json;
mod markdown;
mod side;

use std::{path::Path, process::ExitCode};

use clap::ValueEnum;
use compat::{ToolComparison, compare};
use workspace::Crib;

use super::{CommandContext, CommandResult};
use crate::error::CommandError;

/// Compare two versions of tools: what changed, how that affects callers, and which version number
/// it needs.
///
/// A version is a file or a folder, as it is now or in a git revision: `HEAD~1:tools` is the folder
/// `tools` one commit ago, `origin/main:` everything on that branch. Exits with 0 if every declared
/// version number is high enough, 1 if one is too low, 2 if it could not run. `toolcrib explain
/// RULE` explains a change.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Old version.
    #[arg(default_value = "HEAD:")]
    old: String,
    /// New version.
    #[arg(default_value = ".")]
    new: String,
    /// Output format.
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    format: DiffFormat,
}

#[derive(Clone, Copy, ValueEnum)]
enum DiffFormat {
    /// For people: by tool, the most severe changes first.
    Human,
    /// For programs: one versioned object.
    Json,
    /// For a comment on a pull request.
    Markdown,
    /// GitHub workflow commands: a warning for each breaking change, an error for each
    /// version that is too low.
    Github,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let (old, new) = side::read_both(context, &args.old, &args.new)?;
    let mut tools = compare(&old, &new);
    mark_allowed(&find_configuring_crib(context, &args.new)?, &mut tools);
    match args.format {
        DiffFormat::Human => human::print(&tools),
        DiffFormat::Json => json::print(&tools),
        DiffFormat::Markdown => markdown::print(&tools),
        DiffFormat::Github => github::print(&tools),
    }
    Ok(ExitCode::from(u8::from(!is_ok(&tools))))
}

/// Prints a comparison for people.
pub(super) fn print_human(tools: &[ToolComparison]) {
    human::print(tools);
}

/// The crib whose `[[allow]]` applies: the one given with -C, else that of the new version, else
/// the current one.
fn find_configuring_crib(context: &CommandContext<'_>, new: &str) -> Result<Crib, CommandError> {
    let path = Path::new(new);
    if context.global.crib.is_none() && path.exists() {
        Ok(Crib::open_containing(path, context.environment)?)
    } else {
        context.crib()
    }
}

/// Sets the reason of changes that the crib allows.
fn mark_allowed(crib: &Crib, tools: &mut [ToolComparison]) {
    for tool in tools {
        for change in &mut tool.changes {
            change.allowed = crib.reason_to_allow_change(change.rule.name, &tool.name);
        }
    }
}

fn is_ok(tools: &[ToolComparison]) -> bool {
    tools.iter().all(|tool| tool.check_version().ok)
}

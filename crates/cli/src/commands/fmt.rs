//! `fmt`: format definitions.

use std::{path::PathBuf, process::ExitCode};

use formats::{Rewrite, Unformatted};
use host::count;
use workspace::{Crib, OnDifference, format_files};

use super::{CommandContext, CommandResult};
use crate::{error::CommandError, terminal};

/// Format JSON definitions of command-line tools.
///
/// The fields that identify a tool come first, the others keep their order. A file with comments,
/// or whose tools would change, is left as it is. With `--check`, exits with 0 if all files are
/// formatted, 1 if one is not, 2 if it could not run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders to format [default: the definitions of the crib].
    paths: Vec<PathBuf>,
    /// Write nothing; fail if a file is not formatted.
    #[arg(long)]
    check: bool,
    /// Rewrite fields of older versions of the format as well.
    #[arg(long)]
    migrate: bool,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let crib = Crib::open_lenient(context.global.crib.as_deref(), context.environment)?.0;
    let rewrite = if args.migrate { Rewrite::Migrate } else { Rewrite::Format };
    let on_difference = if args.check { OnDifference::Report } else { OnDifference::Write };
    let files = format_files(&crib, &args.paths, rewrite, on_difference)
        .map_err(|error| CommandError::machine(error.to_string()))?;
    let mut changed = 0;
    for file in &files {
        match file.result {
            Ok(true) => {
                changed += 1;
                terminal::print_line(&terminal::escape_path(file.source.as_str()));
            }
            // JSON files that are not definitions are left alone.
            Ok(false) | Err(Unformatted::OtherFormat) => {}
            Err(reason) => {
                let text = format!("left {} as it is: {reason}", file.source);
                terminal::note(&terminal::escape_message(&text));
            }
        }
    }
    let verb = if args.check { "would be changed" } else { "changed" };
    terminal::note(&format!("{} {verb}", count(changed, "file")));
    Ok(ExitCode::from(u8::from(args.check && changed > 0)))
}

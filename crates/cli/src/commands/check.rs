//! `check`: read and lint definitions.

mod against;

use std::{path::PathBuf, process::ExitCode};

use catalog::Severity;
use clap::ValueEnum;
use host::{Assembly, Options, count, report::Report};
use workspace::{Crib, Files, Loaded, check_paths, fix_crib, fix_paths};

use self::against::Against;
use super::{CommandContext, CommandResult};
use crate::{error::CommandError, report, terminal};

/// Check definitions and report every problem in them.
///
/// Exits with 0 if there are no errors, 1 if there are, 2 if it could not run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders to check [default: the crib].
    paths: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Apply fixes that do not change meaning (to tables of Markdown specifications), then check.
    #[arg(long)]
    fix: bool,
    /// Treat warnings as errors.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    against: Against,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Format {
    /// For people: the line, with the problem underlined.
    Human,
    /// For programs: one versioned object.
    Json,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
    /// For GitHub workflows: annotations.
    Github,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    if args.fix {
        fix(context, &args.paths)?;
    }
    let (mut loaded, files) = if args.paths.is_empty() {
        load_crib(context)?
    } else {
        (check_paths(&args.paths, context.environment)?, Files::new(""))
    };
    let differences = if args.against.is_wanted() {
        args.against.check(&context.assemble(Options::default())?, &loaded)?
    } else {
        Vec::new()
    };
    let differs = !differences.is_empty();
    loaded.diagnostics.extend(differences);
    if args.strict {
        loaded
            .diagnostics
            .iter_mut()
            .filter(|found| found.severity == Severity::Warning)
            .for_each(|found| found.severity = Severity::Error);
    }
    let code = print(&loaded, files, args.format);
    // Differences fail the check even if all of them are warnings.
    Ok(if differs { ExitCode::from(1) } else { code })
}

/// Applies fixes and reports the changed files.
fn fix(context: &CommandContext<'_>, paths: &[PathBuf]) -> Result<(), CommandError> {
    let fixed = if paths.is_empty() {
        fix_crib(&Crib::open_lenient(context.global.crib.as_deref(), context.environment)?.0)
    } else {
        fix_paths(paths)
    };
    for file in fixed.map_err(|error| CommandError::machine(error.to_string()))? {
        terminal::note(&format!("fixed {} in {}", count(file.lines, "line"), file.source));
    }
    Ok(())
}

/// Loads the crib. Problems of its configuration are reported with those of its definitions, and
/// the rest of the configuration applies.
fn load_crib(context: &CommandContext<'_>) -> Result<(Loaded, Files), CommandError> {
    let (crib, problems) = Crib::open_lenient(context.global.crib.as_deref(), context.environment)?;
    let assembly = Assembly::new(crib, context.environment, Options::default());
    let mut loaded = assembly.loaded().clone();
    loaded.files += usize::from(!problems.is_empty());
    loaded.diagnostics.splice(0..0, problems);
    Ok((loaded, assembly.crib().files()))
}

/// Prints all diagnostics. Returns exit code 1 if there are errors.
pub(super) fn print(loaded: &Loaded, files: Files, format: Format) -> ExitCode {
    let report = Report::new(loaded, files);
    match format {
        Format::Human => report::human::print(&report),
        Format::Json => report::json::print(&report),
        Format::Sarif => report::sarif::print(&report),
        Format::Github => report::github::print(&report),
    }
    ExitCode::from(u8::from(loaded.count(Severity::Error) > 0))
}

//! `check`: read and lint.

mod against;

use std::{path::PathBuf, process::ExitCode};

use catalog::Severity;
use clap::ValueEnum;
use host::{count, report::Report};
use workspace::{Crib, Files, Loaded, Loader, check_paths, fix_crib, fix_paths};

use self::against::Against;
use super::{CommandContext, CommandResult};
use crate::{error::CommandError, report, terminal};

/// Read definitions and say everything that is wrong with them.
///
/// Exits with 0 if there are no errors, 1 if there are, 2 if it could not run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders to check; without any, the crib.
    paths: Vec<PathBuf>,
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// First write better what can be without meaning anything else: tables of Markdown specifications.
    #[arg(long)]
    fix: bool,
    /// Count warnings as errors.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    against: Against,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Format {
    /// For people: the line and a pointer into it.
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
    let (mut loaded, files) = match args.paths.is_empty() {
        true => load_crib(context)?,
        false => (check_paths(&args.paths, context.environment)?, Files::new("")),
    };
    let differences = match args.against.is_wanted() {
        true => args.against.check(&context.crib()?, &loaded)?,
        false => Vec::new(),
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
    Ok(if differs { ExitCode::from(1) } else { code })
}

/// Writes definitions better, and says which.
fn fix(context: &CommandContext<'_>, paths: &[PathBuf]) -> Result<(), CommandError> {
    let fixed = match paths.is_empty() {
        false => fix_paths(paths),
        true => {
            fix_crib(&Crib::open_lenient(context.global.crib.as_deref(), context.environment)?.0)
        }
    };
    for file in fixed.map_err(|error| CommandError::machine(error.to_string()))? {
        terminal::note(&format!("fixed {} in {}", count(file.lines, "line"), file.source));
    }
    Ok(())
}

/// Reads the crib; what of its configuration cannot be used is a finding like any other, and the rest counts.
fn load_crib(context: &CommandContext<'_>) -> Result<(Loaded, Files), CommandError> {
    let (crib, problems) = Crib::open_lenient(context.global.crib.as_deref(), context.environment)?;
    let mut loaded = Loader::default().load(&crib);
    loaded.files += usize::from(!problems.is_empty());
    loaded.diagnostics.splice(0..0, problems);
    Ok((loaded, crib.files()))
}

/// Prints what was found; the exit code says whether there were errors.
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

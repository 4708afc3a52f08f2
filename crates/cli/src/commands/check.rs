//! `check`: read and lint definitions.

mod against;
mod baseline;

use std::{
    io::{self, Read},
    path::PathBuf,
    process::ExitCode,
};

use catalog::{Severity, SourceId};
use clap::ValueEnum;
use clients::Client;
use docs::PublishedBook;
use host::{Assembly, Options, count, report::Report};
use workspace::{
    Crib, Files, Loaded, check_documents, check_paths, check_text, fix_crib, fix_paths,
};

use self::against::Against;
use super::{CommandContext, CommandResult, connect};
use crate::{
    error::{CommandError, ErrorKind},
    report::{self, human::Detail},
    terminal,
};

/// Check definitions and report every problem in them.
///
/// A file of a crib is checked with the guidance, bindings and rules of its crib; `-` is standard
/// input, checked as a definition of the crib.
///
/// Exits with 0 if there are no errors, 1 if there are, 2 if it could not run, 3 if there is
/// nothing to check.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders to check, or `-` for standard input [default: the crib].
    paths: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    format: ReportFormat,
    /// Apply fixes that do not change meaning (to tables of Markdown specifications), then check.
    #[arg(long)]
    fix: bool,
    /// Treat warnings as errors.
    #[arg(long)]
    strict: bool,
    /// Print how often each rule was violated instead of every problem.
    #[arg(long)]
    summary: bool,
    /// Print every problem, also if a file has many of a kind.
    #[arg(long, conflicts_with = "summary")]
    all: bool,
    /// Report only problems that are not in this file. If it does not exist, write the problems of
    /// today to it.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Check by the rules of this client, too; see docs/reference/clients.md. Exits with 1 if it
    /// would lose a tool. Repeatable.
    #[arg(long = "client", value_name = "NAME", value_parser = connect::client_parser(), conflicts_with = "paths")]
    clients: Vec<&'static Client>,
    #[command(flatten)]
    against: Against,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum ReportFormat {
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
        load_crib(context, &args.clients)?
    } else if args.paths == [PathBuf::from("-")] {
        check_stdin(context)?
    } else {
        let loaded = check_paths(&args.paths, context.environment)?;
        reject_empty(&loaded)?;
        (loaded, Files::new(""))
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
    if let Some(file) = &args.baseline {
        baseline::apply(file, &mut loaded)?;
    }
    let detail = match (args.summary, args.all) {
        (true, _) => Detail::Counts,
        (false, true) => Detail::Everything,
        (false, false) => Detail::Some,
    };
    let book = context.published_book();
    let code = print(&loaded, files, args.format, detail, book.as_ref());
    // The process ends now. Freeing many tools and findings one by one would delay that.
    std::mem::forget(loaded);
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

/// Rejects a check that found nothing to check: it was probably run in the wrong folder.
fn reject_empty(loaded: &Loaded) -> Result<(), CommandError> {
    if loaded.files > 0 || !loaded.diagnostics.is_empty() {
        return Ok(());
    }
    Err(CommandError::new(ErrorKind::NotFound, "there are no definitions here").hint(
        "run `toolcrib init` or `toolcrib new cli NAME` to write one, or name a crib with `-C`",
    ))
}

/// Checks standard input as a definition of the crib.
fn check_stdin(context: &CommandContext<'_>) -> Result<(Loaded, Files), CommandError> {
    let mut text = String::new();
    io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| CommandError::machine(format!("cannot read standard input: {error}")))?;
    let crib = Crib::open_lenient(context.global.crib.as_deref(), context.environment)?.0;
    // Standard input has no file name, by which Markdown is recognized.
    let name = if text.trim_start().starts_with('#') { "stdin.md" } else { "stdin" };
    let loaded = check_text(&crib, name, &text);
    Ok((loaded, Files::new("").with_text(SourceId::new(name), text)))
}

/// Loads the crib. Problems of its configuration are reported with those of its definitions, and
/// the rest of the configuration applies.
fn load_crib(
    context: &CommandContext<'_>,
    named: &[&'static Client],
) -> Result<(Loaded, Files), CommandError> {
    let (crib, problems) = Crib::open_lenient(context.global.crib.as_deref(), context.environment)?;
    let assembly = Assembly::new(crib, context.environment, Options::default());
    let mut loaded = assembly.loaded().clone();
    let crib = assembly.crib();
    // A crib without tools may still serve documents or flags.
    let has_guide = crib.config.flags.is_some() || crib.config.content.is_some();
    if !has_guide && crib.documents.is_none() && problems.is_empty() {
        reject_empty(&loaded)?;
    }
    check_documents(crib, &mut loaded);
    loaded.files += usize::from(!problems.is_empty());
    loaded.diagnostics.splice(0..0, problems);
    host::check_clients(crib, named, &mut loaded);
    Ok((loaded, assembly.crib().files()))
}

/// Prints all diagnostics, with links to their rules in the book. Returns exit code 1 if there are errors.
pub(super) fn print(
    loaded: &Loaded,
    files: Files,
    format: ReportFormat,
    detail: Detail,
    book: Option<&PublishedBook>,
) -> ExitCode {
    let report = Report::new(loaded, files);
    match format {
        ReportFormat::Human => report::human::print(&report, detail, book),
        ReportFormat::Json => report::json::print(&report),
        ReportFormat::Sarif => report::sarif::print(&report, book),
        ReportFormat::Github => report::github::print(&report),
    }
    ExitCode::from(u8::from(loaded.count(Severity::Error) > 0))
}

//! `build`: compile the documentation of an R package to tools.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use catalog::{Severity, SourceId};
use host::count;
use workspace::{
    Build, Change, ExampleRecord, ExampleRunner, Files, Loaded, OtherBuilderFiles, RPackage,
};

use super::{CommandContext, CommandResult, check};
use crate::{error::CommandError, executor::block_on, report::human::Detail, terminal};

/// Compile the roxygen2 comments of an R package to tools, one YAML file each.
///
/// Functions with `@keywords mcp-tool` become tools. Only examples are evaluated, each in a
/// sandboxed R process of its own. Exits with 0 if there are no errors, 1 if there are, 2 if it
/// could not run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of the package.
    #[arg(value_name = "R_PACKAGE")]
    package: PathBuf,
    /// Folder to write to [default: inst/mcp/tools in the package].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace files that another builder of this format wrote.
    #[arg(long)]
    replace: bool,
    /// Do not run examples; write their code without output.
    #[arg(long)]
    no_examples: bool,
    /// Stop an example after this many seconds [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout_seconds: Option<u64>,
    /// Write and run nothing; fail if a file is out of date. Output and timing of examples are
    /// ignored.
    #[arg(long)]
    check: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = check::ReportFormat::Human)]
    format: check::ReportFormat,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let package = RPackage::open(&args.package)
        .map_err(|error| CommandError::machine(error.to_string()).hint(error.hint()))?;
    let mut build = package.compile(args.out.as_deref());
    let records = match (args.check, args.no_examples) {
        (true, _) => build.records(),
        // Timings stay: they cannot be measured without running the example.
        (false, true) => build.records().into_iter().map(ExampleRecord::without_output).collect(),
        (false, false) => run_examples(context, &package, &mut build, args)?,
    };
    let others = if args.replace { OtherBuilderFiles::Replace } else { OtherBuilderFiles::Keep };
    let changes = build.plan_changes(&records, others);
    if args.check {
        build.diagnostics.extend(build.report_stale(&changes));
    } else {
        apply(&changes)?;
    }
    let code = print(context, &package, &build, args);
    if matches!(args.format, check::ReportFormat::Human) {
        terminal::note(&summary(&build, &changes, args));
        if let Some(next) = next_command(&build, args) {
            terminal::note(&next);
        }
    }
    Ok(code)
}

fn run_examples(
    context: &CommandContext<'_>,
    package: &RPackage,
    build: &mut Build,
    args: &Args,
) -> Result<Vec<ExampleRecord>, CommandError> {
    let examples = ExampleRunner::new(
        package,
        context.environment,
        args.timeout_seconds.map(Duration::from_secs),
    );
    if terminal::is_interactive() {
        terminal::note(&format!(
            "running changed examples of {}",
            count(build.definitions.len(), "tool")
        ));
    }
    let ran = block_on(examples.run(&build.definitions, &build.records()))?;
    build.diagnostics.extend(ran.diagnostics);
    Ok(ran.records)
}

fn apply(changes: &[Change]) -> Result<(), CommandError> {
    let failed = |change: &Change, error| CommandError::io("change", change.path(), &error);
    changes.iter().try_for_each(|change| change.apply().map_err(|error| failed(change, error)))
}

/// Prints all diagnostics, with paths relative to the current folder.
fn print(context: &CommandContext<'_>, package: &RPackage, build: &Build, args: &Args) -> ExitCode {
    let files = Files::new(&package.folder);
    let mut loaded = Loaded { diagnostics: build.diagnostics.clone(), ..Loaded::default() };
    for diagnostic in &mut loaded.diagnostics {
        diagnostic.origin.source =
            SourceId::new(files.path(&diagnostic.origin.source).to_string_lossy());
    }
    loaded.files = package.files.len();
    loaded.tools = build.definitions.len();
    let book = context.published_book();
    check::print(&loaded, Files::new(""), args.format, Detail::Some, book.as_ref())
}

/// The command that lists the built tools, if discovery finds definitions in that folder.
fn next_command(build: &Build, args: &Args) -> Option<String> {
    let tool = &build.definitions.first().filter(|_| !args.check)?.tool;
    let crib = match &args.out {
        None => Some(args.package.as_path()),
        Some(out) => out.parent().filter(|_| out.ends_with("tools")),
    }?;
    let crib = if crib.as_os_str().is_empty() { Path::new(".") } else { crib };
    Some(format!("next: toolcrib -C {} show {tool}", crib.display()))
}

fn summary(build: &Build, changes: &[Change], args: &Args) -> String {
    let out = build.out.display();
    let written = changes.iter().filter(|change| matches!(change, Change::Write(..))).count();
    let removed = changes.len() - written;
    let tools = count(build.definitions.len(), "tool");
    let errors = build.diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
    match (args.check, changes.len()) {
        (true, 0) => format!("{tools} in {out}, all up to date"),
        (true, stale) => format!("{} in {out} out of date", count(stale, "file")),
        (false, 0) if errors == 0 => format!("{tools} in {out}, nothing to change"),
        (false, _) if removed > 0 => {
            format!(
                "{tools} in {out}: wrote {}, removed {}",
                count(written, "file"),
                count(removed, "file")
            )
        }
        (false, _) => format!("{tools} in {out}: wrote {}", count(written, "file")),
    }
}

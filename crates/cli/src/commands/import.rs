//! `import`: draft definitions from programs and their files.

mod help_runs;
mod output;
mod read;
pub(super) mod record_file;
mod update;

use std::{path::PathBuf, process::ExitCode};

use import::Source;

use super::{CommandContext, CommandResult};
use crate::{error::CommandError, terminal};

/// Draft a definition from what a program says about itself.
///
/// The result is an ordinary definition to review. Nothing is declared safe: a tool without `mutates` may
/// change files, and waits for approval where the policy requires it. The origin of each fact is kept
/// beside the file, in `.origins`.
///
/// `--update` exits with 0 if the definition is up to date or was written, 1 if it would change.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    source: Option<ImportSource>,
    /// Read the source of this definition again, and print what would change. Edits are kept.
    #[arg(long, value_name = "FILE", conflicts_with = "accept")]
    update: Option<PathBuf>,
    /// Write the changes.
    #[arg(long, requires = "update")]
    write: bool,
    /// Confirm the facts of this definition, after you have reviewed them.
    #[arg(long, value_name = "FILE")]
    accept: Option<PathBuf>,
    /// Tools whose facts to confirm [default: all].
    #[arg(requires = "accept")]
    tools: Vec<String>,
}

#[derive(clap::Subcommand)]
enum ImportSource {
    /// Run a program in the sandbox to read its help, and that of its subcommands.
    Cli(CliArgs),
    /// Read a completion file of fish, without running it.
    Fish(FileArgs),
    /// Read a specification of carapace.
    Carapace(FileArgs),
}

#[derive(clap::Args)]
struct CliArgs {
    /// Program to read, by name or path.
    program: String,
    /// Words of a subcommand, to read only that one.
    words: Vec<String>,
    /// Maximum levels of subcommands to read.
    #[arg(long, value_name = "N", default_value_t = 2)]
    depth: usize,
    /// Read only the subcommands whose path matches, such as `remote *`. Repeatable.
    #[arg(long, value_name = "GLOB")]
    only: Vec<String>,
    #[command(flatten)]
    target: Target,
}

#[derive(clap::Args)]
struct FileArgs {
    /// File to read.
    file: PathBuf,
    #[command(flatten)]
    target: Target,
}

/// Where the definition goes.
#[derive(clap::Args)]
struct Target {
    /// File to write [default: standard output].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Mark tools whose name or options suggest it as dangerous, instead of listing them.
    #[arg(long)]
    mark_dangerous: bool,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    if let Some(file) = &args.update {
        return update::run(context, file, args.write);
    }
    if let Some(file) = &args.accept {
        return accept(file, &args.tools);
    }
    let Some(source) = &args.source else { return Ok(ExitCode::from(2)) };
    let (source, target) = match source {
        ImportSource::Cli(cli) => {
            let (program, words) = (cli.program.clone(), cli.words.clone());
            let source = Source::Cli { program, words, depth: cli.depth, only: cli.only.clone() };
            (source, &cli.target)
        }
        ImportSource::Fish(args) => {
            let program = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            (Source::Fish { file: args.file.display().to_string(), program }, &args.target)
        }
        ImportSource::Carapace(args) => {
            (Source::Carapace { file: args.file.display().to_string() }, &args.target)
        }
    };
    let mut imported = read::read(&source, context.environment)?;
    if target.mark_dangerous {
        imported.definition.apply_cautions();
        imported.definition.cautions.clear();
    }
    output::write(&source, imported, target.out.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

/// Confirms facts.
fn accept(file: &std::path::Path, tools: &[String]) -> CommandResult {
    let mut record = record_file::load(file)?;
    if let Some(unknown) = tools.iter().find(|tool| record.facts_of(tool).is_empty()) {
        let message = format!("no fact of `{unknown}` was imported to `{}`", file.display());
        return Err(CommandError::machine(message).hint("run `toolcrib list` for the names"));
    }
    let confirmed = record.confirm(tools);
    record_file::save(file, &record)?;
    let left = record.unconfirmed();
    terminal::note(&format!("confirmed {}, {left} left", host::count(confirmed, "fact")));
    Ok(ExitCode::SUCCESS)
}

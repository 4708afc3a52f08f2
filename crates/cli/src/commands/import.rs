//! `import`: draft definitions from programs and their files.

mod help_runs;
mod output;

use std::{path::PathBuf, process::ExitCode};

use import::{Only, Walk, define};

use self::{help_runs::HelpRuns, output::Imported};
use super::{CommandContext, CommandResult};
use crate::error::CommandError;

/// Draft a definition from what a program says about itself.
///
/// The result is an ordinary definition to review. Nothing is declared safe: a tool without `mutates` may
/// change files, and waits for approval where the policy requires it.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    source: Source,
}

#[derive(clap::Subcommand)]
enum Source {
    /// Run a program in the sandbox to read its help, and that of its subcommands.
    Cli(CliArgs),
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
    match &args.source {
        Source::Cli(cli) => import_program(context, cli),
    }
}

fn import_program(context: &CommandContext<'_>, args: &CliArgs) -> CommandResult {
    let only = Only::new(&args.only)
        .map_err(|error| CommandError::machine(format!("`--only`: {error}")))?;
    let runs = HelpRuns::new(&args.program, context.environment)?;
    let mut walk = Walk::new(&args.program, &args.words, args.depth, only);
    runs.finish(&mut walk)?;
    let found = walk.finish();
    let words: Vec<String> = std::iter::once(&args.program).chain(&args.words).cloned().collect();
    if found.program.options.is_empty()
        && found.program.subcommands.is_empty()
        && found.program.positionals.is_empty()
    {
        let message = format!("`{}` printed no help that could be read", words.join(" "));
        let hint = match found.notes.as_slice() {
            [] => "write a definition with `toolcrib new cli NAME`".to_owned(),
            notes => notes.join("; "),
        };
        return Err(CommandError::machine(message).hint(hint));
    }
    let definition = define(&found.program, &words);
    output::write(
        Imported { definition, notes: found.notes },
        args.target.out.as_deref(),
        args.target.mark_dangerous,
    )?;
    Ok(ExitCode::SUCCESS)
}

//! The commands, one a file, and the table that dispatches to them.

mod approve;
mod build;
mod call;
mod check;
mod completions;
mod connect;
mod convert;
mod diff;
mod docs;
mod doctor;
mod down;
mod explain;
mod export;
mod flags;
mod fmt;
mod import;
mod init;
mod list;
mod lock;
mod log;
mod man;
mod new;
mod operations;
mod reference;
mod reload;
mod schema;
mod serve;
mod show;
mod up;
mod validate;
mod version;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use ::docs::PublishedBook;
use clap::{
    CommandFactory, FromArgMatches, Parser,
    error::{ContextKind, ContextValue, ErrorKind as ClapErrorKind},
};
use host::{Assembly, Options};
use workspace::{Crib, Environment, has_r_package};

pub(crate) use self::completions::proposals::{
    VARIABLE as COMPLETION_VARIABLE, propose as propose_completions,
};
use crate::{
    arguments::{Global, GuideFlags},
    error::{CommandError, ErrorKind},
    help,
    logs::{self, DefaultLevel},
    terminal,
};

/// Makes the enum of commands that clap parses, and its dispatch. Each module has `Args` and
/// `run(&CommandContext, &Args) -> CommandResult`.
macro_rules! commands {
    ($($(#[$attribute:meta])* $variant:ident($module:ident),)*) => {
        #[derive(clap::Subcommand)]
        enum Command {
            $($(#[$attribute])* $variant($module::Args),)*
        }

        impl Command {
            fn run(&self, context: &CommandContext<'_>) -> CommandResult {
                match self {
                    $(Self::$variant(args) => $module::run(context, args),)*
                }
            }
        }
    };
}

// In the order of the help.
commands! {
    Init(init),
    Serve(serve),
    Up(up),
    Down(down),
    Connect(connect),
    Check(check),
    Fmt(fmt),
    List(list),
    Show(show),
    Call(call),
    Schema(schema),
    Build(build),
    Docs(docs),
    Export(export),
    Diff(diff),
    Lock(lock),
    Convert(convert),
    New(new),
    Import(import),
    Explain(explain),
    Doctor(doctor),
    Reload(reload),
    Operations(operations),
    Approve(approve),
    Log(log),
    Flags(flags),
    Completions(completions),
    Man(man),
    Version(version),
    #[command(hide = true)]
    Reference(reference),
}

/// Read tool definitions into one catalog, check them, and serve them to AI agents over MCP.
#[derive(Parser)]
#[command(name = "toolcrib", version, subcommand_required = false)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(flatten)]
    guide: GuideFlags,
    #[command(subcommand)]
    command: Option<Command>,
}

impl Cli {
    /// Decides whether output is coloured.
    pub(crate) fn choose_colour(&self, environment: &Environment) {
        terminal::choose_colour(self.global.color, environment);
    }
}

/// The clap definition of the command line, with its help.
pub(crate) fn command() -> clap::Command {
    help::complete(Cli::command())
}

/// Parses the command line. Prints an error or the help and exits if there is nothing to run.
pub(crate) fn parse() -> Cli {
    let explain = |error| explain_command(explain_flag(error));
    let matches = command().try_get_matches().unwrap_or_else(|error| explain(error).exit());
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Adds a hint to the error for an unknown flag: people pass parameters of a tool as flags.
fn explain_flag(mut error: clap::Error) -> clap::Error {
    let is_call = env::args().any(|argument| argument == "call");
    let flag = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(flag)) if is_call => flag.trim_start_matches('-').to_owned(),
        _ => return error,
    };
    if error.kind() == ClapErrorKind::UnknownArgument && !flag.is_empty() {
        let hint = format!("parameters of tools are written `{flag}=VALUE`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    error
}

/// Commands of other programs, and what does the same here.
const OTHER_NAMES: [(&[&str], &str); 7] = [
    (&["history", "audit", "logs"], "toolcrib log"),
    (&["run", "exec"], "toolcrib call NAME KEY=VALUE"),
    (&["render"], "toolcrib call render_rmd filename=NAME"),
    (&["validate", "lint", "verify"], "toolcrib check"),
    (&["ls", "tools"], "toolcrib list"),
    (&["install", "add", "setup"], "toolcrib connect"),
    (&["start", "stop"], "toolcrib up, toolcrib down"),
];

/// Replaces the suggestion for an unknown command if it is the name that other programs have for one.
fn explain_command(mut error: clap::Error) -> clap::Error {
    let command = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(command)) => command.clone(),
        _ => return error,
    };
    let known = OTHER_NAMES.iter().find(|(names, _)| names.contains(&command.as_str()));
    if let Some((_, ours)) = known {
        error.remove(ContextKind::SuggestedSubcommand);
        let hint = format!("the command is `{}`", ours.replace(", ", "` or `"));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    error
}

/// A command's exit code, or why it could not do its work.
pub(crate) type CommandResult = Result<ExitCode, CommandError>;

/// The flags and variables that every command gets.
pub(crate) struct CommandContext<'a> {
    pub(crate) global: &'a Global,
    pub(crate) environment: &'a Environment,
}

impl CommandContext<'_> {
    /// Opens the crib that the command line names.
    pub(crate) fn crib(&self) -> Result<Crib, CommandError> {
        let opened = Crib::open(self.crib_folder().as_deref(), self.environment);
        opened.map_err(|error| self.explain_missing_crib().unwrap_or_else(|| error.into()))
    }

    /// The crib, or an empty one if the current folder is outside of every crib.
    pub(crate) fn crib_or_empty(&self) -> Result<Crib, CommandError> {
        let folder = self.crib_folder();
        let crib = Crib::open(folder.as_deref(), self.environment);
        crib.or_else(|error| match Crib::open_lenient(folder.as_deref(), self.environment) {
            Ok((crib, _)) if folder.is_none() && !crib.is_defined() => Ok(crib),
            _ => Err(error.into()),
        })
    }

    /// The published book to which messages link, if the crib has one. A crib that cannot be read has
    /// none: the link is not worth an error.
    pub(crate) fn published_book(&self) -> Option<PublishedBook> {
        let (crib, _) = Crib::open_lenient(self.crib_folder().as_deref(), self.environment).ok()?;
        crib.config.site.url.as_ref().map(|url| PublishedBook::at(url.as_str()))
    }

    /// The error for a missing crib. It replaces the reason why the current folder cannot be a crib
    /// (the home folder contains the state folder), which would confuse people who are only in the
    /// wrong folder.
    fn explain_missing_crib(&self) -> Option<CommandError> {
        let folder = self.crib_folder();
        let (crib, _) = Crib::open_lenient(folder.as_deref(), self.environment).ok()?;
        let message = format!("there is no crib in {}", crib.folder.display());
        let hint = "go to a folder with `tools` or a toolcrib.toml, name it with -C, or run `toolcrib init`";
        (!crib.is_defined()).then(|| CommandError::machine(message).hint(hint))
    }

    /// The folder given on the command line. Clients start the program without a shell, so `~` is
    /// expanded here.
    pub(crate) fn crib_folder(&self) -> Option<PathBuf> {
        let named = self.global.crib.as_deref()?;
        Some(expand_home(named, self.environment.get("HOME").map(Path::new)))
    }

    /// Opens the crib and assembles it.
    pub(crate) fn assemble(&self, options: Options) -> Result<Assembly, CommandError> {
        Ok(Assembly::new(self.crib()?, self.environment, options))
    }
}

/// Replaces a leading `~` by the home folder.
pub(crate) fn expand_home(path: &Path, home: Option<&Path>) -> PathBuf {
    let expanded = path.strip_prefix("~").ok().zip(home).map(|(rest, home)| home.join(rest));
    expanded.unwrap_or_else(|| path.to_owned())
}

/// A package of the command line that is not installed is an error of the command, not of the crib.
fn reject_missing_packages(context: &CommandContext<'_>) -> Result<(), CommandError> {
    let packages = &context.global.packages;
    if packages.is_empty() {
        return Ok(());
    }
    let crib = Crib::open_lenient(context.crib_folder().as_deref(), context.environment)?.0;
    match packages.iter().find(|name| !has_r_package(&crib, name)) {
        Some(name) => Err(CommandError::new(
            ErrorKind::NotFound,
            format!("the R package `{name}` is not installed"),
        )
        .hint(format!("run install.packages(\"{name}\") in R, or correct the name"))),
        None => Ok(()),
    }
}

/// Runs the command that the command line names.
pub(crate) fn run(cli: Cli, environment: &Environment) -> CommandResult {
    let is_server = matches!(cli.command, Some(Command::Serve(_)));
    let level = if is_server { DefaultLevel::Server } else { DefaultLevel::Command };
    logs::start(&cli.global, environment, level)?;
    let environment = &environment.with_r_packages(&cli.global.packages);
    let context = CommandContext { global: &cli.global, environment };
    reject_missing_packages(&context)?;
    match &cli.command {
        Some(command) => command.run(&context),
        None => validate::run(&context, &cli.guide).unwrap_or_else(|| {
            terminal::print(&command().render_help().to_string());
            // Fails like a usage error, because scripts that forget the command must not succeed.
            Ok(ExitCode::from(2))
        }),
    }
}

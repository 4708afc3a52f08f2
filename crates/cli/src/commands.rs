//! The commands, one a file, and the table that dispatches to them.

mod approve;
mod build;
mod call;
mod check;
mod convert;
mod diff;
mod docs;
mod doctor;
mod explain;
mod flags;
mod list;
mod lock;
mod new;
mod operations;
mod reference;
mod reload;
mod schema;
mod serve;
mod show;
mod validate;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use host::{Assembly, Options};
use workspace::{Crib, Environment};

use crate::{
    arguments::{Global, GuideFlags},
    error::CommandError,
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
    Serve(serve),
    Check(check),
    List(list),
    Show(show),
    Call(call),
    Schema(schema),
    Build(build),
    Docs(docs),
    Diff(diff),
    Lock(lock),
    Convert(convert),
    New(new),
    Explain(explain),
    Doctor(doctor),
    Reload(reload),
    Operations(operations),
    Approve(approve),
    Flags(flags),
    #[command(hide = true)]
    Reference(reference),
}

/// Read tool definitions into one catalog, check them, and serve them to AI agents over MCP.
#[derive(Parser)]
#[command(name = "toolcrib", version, disable_help_subcommand = true, subcommand_required = false)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(flatten)]
    guide: GuideFlags,
    #[command(subcommand)]
    command: Option<Command>,
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
        Ok(Crib::open(self.global.crib.as_deref(), self.environment)?)
    }

    /// Opens the crib and assembles it.
    pub(crate) fn assemble(&self, options: Options) -> Result<Assembly, CommandError> {
        Ok(Assembly::new(self.crib()?, self.environment, options))
    }
}

/// Runs the command that the command line names.
pub(crate) fn run(cli: Cli, environment: &Environment) -> CommandResult {
    let is_server = matches!(cli.command, Some(Command::Serve(_)));
    let level = if is_server { DefaultLevel::Server } else { DefaultLevel::Command };
    logs::start(&cli.global, environment, level)?;
    let context = CommandContext { global: &cli.global, environment };
    match &cli.command {
        Some(command) => command.run(&context),
        None => validate::run(&context, &cli.guide).unwrap_or_else(|| {
            terminal::print(&Cli::command().render_help().to_string());
            // Like a usage error: scripts that forget the command must not succeed.
            Ok(ExitCode::from(2))
        }),
    }
}

//! The commands, one a file, and which of them the command line asks for.

pub(crate) mod approve;
pub(crate) mod build;
pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod docs;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod flags;
pub(crate) mod list;
pub(crate) mod lock;
pub(crate) mod new;
pub(crate) mod operations;
pub(crate) mod reference;
pub(crate) mod reload;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod show;
mod validate;

use std::process::ExitCode;

use clap::CommandFactory;
use workspace::{Crib, Environment, Loaded, Loader};

use crate::{
    arguments::{Cli, Command, Global},
    error::CommandError,
    logs::{self, Usual},
    terminal,
};

/// What a command returns: its exit code, or why it could not do its work.
pub(crate) type CommandResult = Result<ExitCode, CommandError>;

/// What every command is given.
pub(crate) struct CallServices<'a> {
    pub(crate) global: &'a Global,
    pub(crate) environment: &'a Environment,
}

impl CallServices<'_> {
    /// Opens the crib that the command line names.
    pub(crate) fn crib(&self) -> Result<Crib, CommandError> {
        Ok(Crib::open(self.global.crib.as_deref(), self.environment)?)
    }

    /// Opens the crib and reads its definitions.
    pub(crate) fn load(&self) -> Result<(Crib, Loaded), CommandError> {
        let crib = self.crib()?;
        let loaded = Loader::default().load(&crib);
        Ok((crib, loaded))
    }
}

/// Runs what the command line asks for.
pub(crate) fn run(cli: Cli, environment: &Environment) -> CommandResult {
    let usual =
        if matches!(cli.command, Some(Command::Serve(_))) { Usual::Server } else { Usual::Command };
    logs::start(&cli.global, environment, usual)?;
    let here = CallServices { global: &cli.global, environment };
    match cli.command {
        Some(Command::Serve(args)) => serve::run(&here, &args),
        Some(Command::Check(args)) => check::run(&here, &args),
        Some(Command::List(args)) => list::run(&here, &args),
        Some(Command::Show(args)) => show::run(&here, &args),
        Some(Command::Call(args)) => call::run(&here, args),
        Some(Command::Schema(args)) => schema::run(&args),
        Some(Command::Build(args)) => build::run(&here, &args),
        Some(Command::Docs(args)) => docs::run(&here, &args),
        Some(Command::Diff(args)) => diff::run(&here, &args),
        Some(Command::Lock(args)) => lock::run(&here, &args),
        Some(Command::Convert(args)) => convert::run(&args),
        Some(Command::New(args)) => new::run(&here, &args),
        Some(Command::Explain(args)) => explain::run(&here, &args),
        Some(Command::Doctor(args)) => doctor::run(&here, &args),
        Some(Command::Operations(args)) => operations::run(&here, &args),
        Some(Command::Approve(args)) => approve::run(&here, &args),
        Some(Command::Flags(args)) => flags::run(&here, &args),
        Some(Command::Reference(args)) => reference::run(&args),
        Some(Command::Reload(args)) => reload::run(&here, &args),
        None => match validate::run(&here, &cli.guide) {
            Some(result) => result,
            None => {
                terminal::print(&Cli::command().render_help().to_string());
                Ok(ExitCode::from(2))
            }
        },
    }
}

//! `toolcrib`: arguments in, commands run, output and exit codes out. The only crate that prints or exits.

mod arguments;
mod commands;
mod error;
mod guide;
mod keeper;
mod logs;
mod report;
mod servers;
mod terminal;
mod user_store;

use std::process::ExitCode;

use clap::Parser;
use workspace::Environment;

fn main() -> ExitCode {
    let environment = Environment::capture();
    terminal::start(&environment);
    let arguments = arguments::Cli::parse();
    match commands::run(arguments, &environment) {
        Ok(code) => code,
        Err(error) => {
            terminal::problem(&error);
            error.exit_code()
        }
    }
}

//! `toolcrib`: parses arguments, runs a command, prints its output and exits. The only crate that
//! prints or exits.

mod address;
mod arguments;
mod authority;
mod choice;
mod commands;
mod difference;
mod duration;
mod error;
mod executor;
mod help;
mod live;
mod logs;
mod report;
mod systemd;
mod table;
mod terminal;
mod wrap;

use std::{process::ExitCode, time::Duration};

use workspace::Environment;

/// Maximum wait at exit for temporary folders to be removed. It takes some tens of milliseconds
/// after a call of an R or Python function, and no time after most commands.
const CLEANUP: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let environment = Environment::capture();
    if let Some(shell) = environment.get(commands::COMPLETION_VARIABLE) {
        // A shell would show an error message in the middle of the command line, so a failure
        // proposes nothing.
        terminal::print(&commands::propose_completions(shell).unwrap_or_default());
        return ExitCode::SUCCESS;
    }
    let arguments = commands::parse();
    arguments.choose_colour(&environment);
    let code = match commands::run(arguments, &environment) {
        Ok(code) => code,
        Err(error) => {
            terminal::print_error(&error);
            error.exit_code()
        }
    };
    runtime::wait_for_cleanup(CLEANUP);
    code
}

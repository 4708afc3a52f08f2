//! The clients on this machine, and whether they are connected.

use std::path::Path;

use clients::{CLIENTS, Client, Scope, Server};
use host::{ClientFile, ConnectionState};
use workspace::{Crib, Environment};

use super::{Args, CommandContext, describe_server};
use crate::{
    error::CommandError,
    terminal::{self, Paint, paint},
};

/// Prints the clients on this machine. Without a crib, there is nothing that they could be connected to.
pub(super) fn print(context: &CommandContext<'_>, args: &Args) -> Result<(), CommandError> {
    match context.crib() {
        Ok(crib) => print_states(context, &crib, &describe_server(context, &crib, args)?),
        // Reports the error if the folder is a crib that cannot be opened.
        Err(error) => {
            let crib = context.crib_or_empty().map_err(|_| error)?;
            print_installed(context, &crib);
        }
    }
    Ok(())
}

fn print_installed(context: &CommandContext<'_>, crib: &Crib) {
    let is_found = |client: &&'static Client| {
        let file = ClientFile::find(client, Scope::User, crib, context.environment);
        let files: Vec<_> = file.into_iter().collect();
        is_installed(client, &files, context.environment)
    };
    let (found, missing): (Vec<_>, Vec<_>) = CLIENTS.iter().partition(is_found);
    for client in found {
        terminal::print_line(&format!("{:15} {}", client.name, paint("installed", Paint::Dim)));
    }
    print_missing(&missing.iter().map(|client| client.name).collect::<Vec<_>>());
    terminal::print_line("\nto connect one, go to a crib or start one with `toolcrib init`");
}

fn print_states(context: &CommandContext<'_>, crib: &Crib, server: &Server) {
    let mut missing = Vec::new();
    for client in CLIENTS {
        let find = |scope| ClientFile::find(client, scope, crib, context.environment);
        let files: Vec<_> = [Scope::User, Scope::Project].into_iter().filter_map(find).collect();
        let states: Vec<_> = files
            .iter()
            .map(|file| (file, file.state(server)))
            .filter(|(_, state)| *state != ConnectionState::Absent)
            .collect();
        if states.is_empty() && !is_installed(client, &files, context.environment) {
            missing.push(client.name);
            continue;
        }
        let name = format!("{:15}", client.name);
        if states.is_empty() {
            terminal::print_line(&format!("{name} {}", paint("not connected", Paint::Dim)));
        }
        for (file, state) in states {
            terminal::print_line(&format!("{name} {}", describe(file, &state)));
        }
    }
    print_missing(&missing);
    terminal::print_line("\nto connect one: toolcrib connect CLIENT");
}

fn print_missing(names: &[&str]) {
    if !names.is_empty() {
        terminal::print_line(&format!("\nnot found here: {}", names.join(", ")));
    }
}

fn describe(file: &ClientFile, state: &ConnectionState) -> String {
    let path = file.path.display();
    match state {
        ConnectionState::Connected => format!("{} in {path}", paint("connected", Paint::Green)),
        ConnectionState::Different => {
            format!("{} in {path}; connect it again", paint("other entry", Paint::Yellow))
        }
        ConnectionState::Unreadable(why) => {
            format!("{} {path}: {why}", paint("unreadable", Paint::Red))
        }
        ConnectionState::Absent => String::new(),
    }
}

/// Whether the client seems to be installed: its program is on the `PATH`, or it has written files.
fn is_installed(client: &Client, files: &[ClientFile], environment: &Environment) -> bool {
    let folders = environment.get("PATH").unwrap_or_default().split(':').filter(|f| !f.is_empty());
    let mut programs = folders.flat_map(|folder| {
        client.programs.iter().map(move |program| Path::new(folder).join(program))
    });
    let has_file = |file: &ClientFile| file.scope == Scope::User && file.path.exists();
    programs.any(|program| program.is_file()) || files.iter().any(has_file)
}

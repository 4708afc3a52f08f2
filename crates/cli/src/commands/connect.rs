//! `connect`: writes an entry for this crib to the configuration of clients.

mod overview;
mod verify;

use std::{env, process::ExitCode};

use clap::builder::TypedValueParser;
use clients::{Authorization, CLIENTS, Client, Scope, Server, TOKEN_VARIABLE, Transport};
use host::{Change, ClientFile, ConnectionError, Options};
use workspace::Crib;

use super::{CommandContext, CommandResult, serve};
use crate::{
    choice::{self, Choice},
    difference::print_difference,
    error::CommandError,
    terminal,
};

/// Connect MCP clients to this crib: write an entry to their configuration, then start the server
/// as the client would and list its tools.
///
/// Without a client, lists the clients on this machine and whether they are connected. Exits with 1
/// if a client was connected but the server did not answer.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The clients to connect.
    #[arg(value_name = "CLIENT", value_parser = client_parser())]
    clients: Vec<&'static Client>,
    /// Write to the client's file in the crib's folder, for everyone who works on this project.
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// Write to your own file, for all projects. The default.
    #[arg(long)]
    user: bool,
    /// Let the client connect to a running server, such as http://127.0.0.1:7337/mcp, instead of
    /// starting one.
    #[arg(long, value_name = "URL")]
    http: Option<String>,
    /// Connect to the tools of this `[[profile]]` only.
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Name of the server in the client [default: the name of the crib, and of the profile].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Print the change without writing it.
    #[arg(long)]
    dry_run: bool,
    /// Remove the entry. A file that nothing else has changed becomes what it was before.
    #[arg(long)]
    undo: bool,
}

/// Accepts the names of clients.
pub(super) fn client_parser() -> impl TypedValueParser<Value = &'static Client> {
    let to_choice =
        |client: &'static Client| Choice { name: client.name, help: client.title, value: client };
    choice::parser(CLIENTS.iter().map(to_choice).collect())
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    if args.clients.is_empty() {
        overview::print(context, args)?;
        return Ok(ExitCode::SUCCESS);
    }
    let crib = context.crib()?;
    let server = describe_server(context, &crib, args)?;
    let scope = if args.project { Scope::Project } else { Scope::User };
    let files = args.clients.iter().map(|client| find_file(context, &crib, client, scope));
    // Collected before anything is written, so that a partly invalid command line changes nothing.
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let mut all_answer = true;
    for file in &files {
        all_answer &= if args.undo {
            disconnect(file, &server, args)?;
            true
        } else {
            connect(context, &crib, file, &server, args)?
        };
    }
    Ok(ExitCode::from(u8::from(!all_answer)))
}

/// Describes the server for a client's entry: the command to start, or the address of a running
/// server.
fn describe_server(
    context: &CommandContext<'_>,
    crib: &Crib,
    args: &Args,
) -> Result<Server, CommandError> {
    // The entry of a profile that is gone can still be removed.
    if let Some(profile) = args.profile.as_ref().filter(|_| !args.undo) {
        serve::find_profile(crib, profile)?;
    }
    let own_name = match &args.profile {
        Some(profile) => format!("{}-{profile}", crib.name()),
        None => crib.name(),
    };
    let name = clients::server_name(args.name.as_deref().unwrap_or(&own_name));
    let transport = match &args.http {
        Some(url) => {
            let url = match &args.profile {
                Some(_) if !url.ends_with("/mcp") => {
                    return Err(CommandError::machine(format!(
                        "`{url}` is not the address of a server"
                    ))
                    .hint("with `--profile`, pass one that ends in `/mcp`"));
                }
                Some(profile) => format!("{url}/{profile}"),
                None => url.clone(),
            };
            let file = crib.token_file();
            let token = file.exists().then(|| serve::read_token(&file)).transpose()?;
            Transport::Http { url, token: token.map(Authorization) }
        }
        None => {
            // Absolute paths, because clients neither expand `~` nor share your PATH and folder.
            let program = env::current_exe().map_err(|error| {
                CommandError::machine(format!("cannot find the path of this program: {error}"))
            })?;
            let crib = crib.folder.to_string_lossy().into_owned();
            let mut arguments = vec!["-C".to_owned(), crib, "serve".to_owned()];
            if let Some(profile) = &args.profile {
                arguments.extend(["--profile".to_owned(), profile.clone()]);
            }
            Transport::Stdio { program: program.to_string_lossy().into_owned(), arguments }
        }
    };
    // Without this variable, the server would store approvals where `toolcrib approve` does not
    // look.
    let state = context.environment.get("XDG_STATE_HOME");
    let variables = state.map(|value| ("XDG_STATE_HOME".to_owned(), value.to_owned()));
    Ok(Server { name, transport, variables: variables.into_iter().collect() })
}

fn find_file(
    context: &CommandContext<'_>,
    crib: &Crib,
    client: &'static Client,
    scope: Scope,
) -> Result<ClientFile, CommandError> {
    ClientFile::find(client, scope, crib, context.environment).ok_or_else(|| {
        let other = match scope {
            Scope::User => "project",
            Scope::Project => "user",
        };
        let (title, scope) = (client.title, scope.name());
        CommandError::machine(format!("{title} has no configuration file of a {scope}"))
            .hint(format!("use `--{other}`"))
    })
}

/// Connects one client; returns whether the server answered.
fn connect(
    context: &CommandContext<'_>,
    crib: &Crib,
    file: &ClientFile,
    server: &Server,
    args: &Args,
) -> Result<bool, CommandError> {
    let client = file.client;
    let entry = client.entry(server).ok_or_else(|| {
        CommandError::machine(format!("{} cannot use servers over HTTP", client.title))
            .hint("leave out `--http`: it then starts the server itself")
    })?;
    if let Some(word) = client.find_reference(server) {
        let message = format!("{} would read `{word}` as a reference to a variable", client.title);
        return Err(CommandError::machine(message)
            .hint("move the crib or the program to a path without it, or use `--http`"));
    }
    refuse_exposed_token(context, file, server)?;
    let change = file.connect(server, &entry).map_err(to_command_error)?;
    make_change(&change, server, args)?;
    if args.dry_run {
        return Ok(true);
    }
    if !change.is_empty() {
        terminal::print_line(&format!("backup: {}", change.backup.display()));
        terminal::print_line(&format!("to undo this: {}", undo_command(context, client, args)));
    }
    explain_token(client, server, crib);
    let answers = verify::verify(context, file, server)?;
    terminal::print_line(&format!("next: {}", client.next_step));
    Ok(answers)
}

fn disconnect(file: &ClientFile, server: &Server, args: &Args) -> Result<(), CommandError> {
    let change = file.disconnect(&server.name).map_err(to_command_error)?;
    make_change(&change, server, args)
}

/// Refuses to write the token to a file of the project, which people commit, or to one that tools can
/// read: with the token, a tool could call the server as its operator.
fn refuse_exposed_token(
    context: &CommandContext<'_>,
    file: &ClientFile,
    server: &Server,
) -> Result<(), CommandError> {
    if !file.client.stores_token(server) {
        return Ok(());
    }
    let title = file.client.title;
    let path = file.path.display();
    let message = format!("{title} reads no variables, so {path} would contain the token");
    if file.scope == Scope::Project {
        return Err(CommandError::machine(message)
            .hint("a project's file is readable by others: use `--user`"));
    }
    let assembly = context.assemble(Options::default())?;
    if assembly.exposes(&file.path) {
        let message = format!("{message}, and tools can read this file");
        return Err(CommandError::machine(message)
            .hint("move the file out of the folders that tools can read, or leave out `--http`"));
    }
    Ok(())
}

/// Applies a change, unless this is a dry run, and prints it.
fn make_change(change: &Change, server: &Server, args: &Args) -> Result<(), CommandError> {
    let path = change.path.display();
    if !args.dry_run {
        change.apply().map_err(to_command_error)?;
    }
    if change.is_empty() {
        let state = if args.undo { "has no entry to remove" } else { "is up to date" };
        terminal::print_line(&format!("{path} {state}"));
        return Ok(());
    }
    let show = |text: &Option<String>| hide_token(text.as_deref().unwrap_or_default(), server);
    print_difference(&show(&change.before), &show(&change.after));
    let done = match (args.dry_run, &change.after) {
        (true, Some(_)) => "would write",
        (true, None) => "would remove",
        (false, Some(_)) => "wrote",
        (false, None) => "removed",
    };
    terminal::print_line(&format!("{done} {path}"));
    Ok(())
}

/// The text without the token, which must not end up in logs of terminals.
fn hide_token(text: &str, server: &Server) -> String {
    match &server.transport {
        Transport::Http { token: Some(Authorization(secret)), .. } => text.replace(secret, "…"),
        _ => text.to_owned(),
    }
}

/// The command that removes the entry of a client again, to be run in the same folder.
fn undo_command(context: &CommandContext<'_>, client: &Client, args: &Args) -> String {
    let mut words = vec!["toolcrib".to_owned()];
    if let Some(crib) = &context.global.crib {
        words.extend(["-C".to_owned(), crib.to_string_lossy().into_owned()]);
    }
    words.extend(["connect".to_owned(), client.name.to_owned(), "--undo".to_owned()]);
    words.extend(args.project.then(|| "--project".to_owned()));
    let options = [("--profile", &args.profile), ("--name", &args.name)];
    for (option, value) in options {
        words.extend(value.iter().flat_map(|value| [option.to_owned(), value.clone()]));
    }
    shlex::try_join(words.iter().map(String::as_str)).expect("arguments of a program have no NUL")
}

/// Prints how the client gets the token.
fn explain_token(client: &Client, server: &Server, crib: &Crib) {
    let Transport::Http { token: Some(_), .. } = &server.transport else {
        return;
    };
    let file = crib.token_file();
    let file = file.display();
    terminal::note(&if client.stores_token(server) {
        format!("note: {} reads no variables, so its file now has the token", client.title)
    } else {
        format!("set {TOKEN_VARIABLE} to the token in {file} where you start {}", client.title)
    });
}

fn to_command_error(error: ConnectionError) -> CommandError {
    let hint = match &error {
        ConnectionError::Read { .. } => "check the permissions of the file",
        ConnectionError::Edit { .. } => "fix the file, or add the entry by hand",
        ConnectionError::Write { .. } => "check the permissions of the folder and its disk",
    };
    CommandError::machine(error.to_string()).hint(hint)
}

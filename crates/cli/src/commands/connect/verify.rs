//! Starts the server as a client would, and lists its tools.

use clients::{Authorization, Scope, Server, Transport};
use host::{ClientFile, Options, Persistence, count};
use runtime::PeerCommand;
use server::client::{self, ClientError, Target};

use super::CommandContext;
use crate::{
    error::CommandError,
    executor::block_on,
    terminal::{self, Paint, paint},
};

/// Maximum number of tool names that are printed.
const MAX_NAMES: usize = 5;

/// Lists the tools of the server as the client would, and prints them or the failure. Returns
/// whether the server answered.
pub(super) fn verify(
    context: &CommandContext<'_>,
    file: &ClientFile,
    server: &Server,
) -> Result<bool, CommandError> {
    let title = file.client.title;
    match block_on(list_tools(context, file, server))?? {
        Ok(mut names) => {
            let crib = context.assemble(Options::default())?;
            let is_own =
                |name: &str| host::find_tool(&crib.loaded().catalog, crib.crib(), name).is_some();
            names.sort_by_key(|name| !is_own(name));
            let shown = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>();
            let more = if names.len() > MAX_NAMES { ", …" } else { "" };
            let count = paint(&count(names.len(), "tool"), Paint::Green);
            terminal::print_line(&format!("{title} gets {count}: {}{more}", shown.join(", ")));
            Ok(true)
        }
        Err(ClientError::NotLoopback(url)) => {
            terminal::note(&format!("not verified: {url} is not on this machine"));
            Ok(true)
        }
        Err(error) => {
            let message = format!("{title} is connected, but the server does not answer: {error}");
            let hint = match &server.transport {
                Transport::Stdio { .. } => "run `toolcrib check` and `toolcrib doctor`",
                Transport::Http { .. } => "start it with `toolcrib serve --http`",
            };
            terminal::print_error(&CommandError::machine(message).hint(hint));
            Ok(false)
        }
    }
}

type ListResult = Result<Vec<String>, ClientError>;

async fn list_tools(
    context: &CommandContext<'_>,
    file: &ClientFile,
    server: &Server,
) -> Result<ListResult, CommandError> {
    let target = match &server.transport {
        Transport::Http { url, token } => {
            let token = token.as_ref().map(|Authorization(secret)| secret.clone());
            Target::Http { url: url.clone(), token }
        }
        Transport::Stdio { program, arguments } => {
            let mut words = vec![program.clone()];
            words.extend(arguments.iter().cloned());
            let assembly = context
                .assemble(Options { persistence: Persistence::Memory, ..Options::default() })?;
            // Clients start servers in the folder of the project, which can be any folder for a
            // user's file.
            let folder = match file.scope {
                Scope::Project => Some(assembly.crib().folder.clone()),
                Scope::User => context.environment.get("HOME").map(Into::into),
            };
            let mut environment = context.environment.variables(file.client.passes);
            environment.retain(|(name, _)| server.variables.iter().all(|(own, _)| own != name));
            environment.extend(server.variables.iter().cloned());
            let peer = PeerCommand { words, folder, environment: Some(environment) };
            let runtime = assembly.bare_runtime()?;
            let peer = runtime.start_peer(peer).await.map_err(CommandError::machine_failure)?;
            Target::Program(Box::new(peer))
        }
    };
    let listed = client::list_tools(target).await;
    Ok(listed.map(|tools| tools.into_iter().map(|tool| tool.name).collect()))
}

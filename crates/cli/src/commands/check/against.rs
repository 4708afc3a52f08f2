//! `check --against`: compares definitions with the tools that a live server lists.

use std::{collections::HashSet, path::PathBuf, sync::Arc};

use catalog::{Diagnostic, ErrorType, Failure, Origin, SourceId, Tool, name};
use host::{Assembly, describer, served_name};
use runtime::PeerCommand;
use server::client::{self, ClientError, Target};
use workspace::{Crib, GUIDE_TOOLS, Loaded};

use super::super::serve;
use crate::{error::CommandError, executor::block_on};

/// The server to compare with.
#[derive(clap::Args)]
pub(super) struct Against {
    /// Compare with the tools that this MCP server lists: a command line, run without a shell, or
    /// `http://127.0.0.1:PORT/mcp`. Exits with 1 if anything differs.
    #[arg(long, value_name = "CMD|URL")]
    against: Option<String>,
    /// Send the server the bearer token in this file.
    #[arg(long, value_name = "FILE", requires = "against")]
    token_file: Option<PathBuf>,
}

impl Against {
    /// Whether a server was given.
    pub(super) fn is_wanted(&self) -> bool {
        self.against.is_some()
    }

    /// Reports every difference between the loaded tools and those of the server.
    pub(super) fn check(
        &self,
        assembly: &Assembly,
        loaded: &Loaded,
    ) -> Result<Vec<Diagnostic>, CommandError> {
        let Some(server) = &self.against else {
            return Ok(Vec::new());
        };
        let token = self.token_file.as_deref().map(serve::read_token).transpose()?;
        let crib = assembly.crib();
        let listed = block_on(self.list_tools(assembly, server, token))??;
        // Compare both sides in the served form, which leaves out keywords that Toolcrib does not
        // send.
        let listed: Vec<_> = listed.into_iter().map(with_served_schemas).collect();
        let describe = describer(crib);
        let to_listed = |tool: &Arc<Tool>| {
            let name = served_name(crib, &tool.name);
            let other = listed.iter().find(|other| other.name == name);
            to_listed(tool, describe(tool), other, name)
        };
        let defined: Vec<_> = loaded.catalog.tools().iter().map(to_listed).collect();
        // Built-in tools are in no definition, with or without the default prefix.
        let own: Vec<String> = name::BUILT_IN
            .into_iter()
            .chain(GUIDE_TOOLS)
            .flat_map(|name| [name.to_owned(), format!("guide_{name}")])
            .map(|name| served_name(crib, &name))
            .collect();
        let own: HashSet<&str> = own.iter().map(String::as_str).collect();
        Ok(compat::find_drift(&defined, &listed, &own, &fallback_origin(crib, loaded)))
    }

    async fn list_tools(
        &self,
        assembly: &Assembly,
        server: &str,
        token: Option<String>,
    ) -> Result<Vec<Tool>, CommandError> {
        // `https` is recognized, so that the error names the real problem: only loopback is
        // supported.
        let is_address = server.starts_with("http://") || server.starts_with("https://");
        let other = if is_address {
            Target::Http { url: server.to_owned(), token }
        } else {
            // Split like a shell would, but run without one.
            let command =
                shlex::split(server).filter(|words| !words.is_empty()).ok_or_else(|| {
                    CommandError::machine(format!("`{server}` is not a valid command line"))
                        .hint("close all quotation marks")
                })?;
            let peer = assembly
                .bare_runtime()?
                .start_peer(PeerCommand { words: command.clone(), ..PeerCommand::default() })
                .await
                .map_err(|failure| start_error(&command, failure))?;
            Target::Program(Box::new(peer))
        };
        client::list_tools(other).await.map_err(|error| {
            let hint = match (&error, &self.token_file) {
                (ClientError::TokenRequired, _) => "pass the file that contains it with \
                    `--token-file`; `toolcrib serve` logs the path of its token file"
                    .to_owned(),
                (ClientError::TokenRejected, Some(file)) => {
                    format!("check that `{}` contains the token of this server", file.display())
                }
                (ClientError::NotLoopback(_), _) => String::new(),
                _ if is_address => format!("check that an MCP server listens on {server}"),
                _ => "run the command by hand to see why".to_owned(),
            };
            CommandError::machine(error.to_string()).hint(hint)
        })
    }
}

/// A tool as the other server would list it. The detail of descriptions and session handles depend
/// on how that server was started, so either form matches.
fn to_listed(tool: &Tool, described: String, other: Option<&Tool>, name: String) -> Tool {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut tool = Tool { name, ..tool.clone() };
    if other.is_some_and(|other| words(&other.description.text) == words(&described)) {
        tool.description.text = described;
    }
    let named = runtime::with_session_argument(&tool).map(with_served_schemas);
    match named {
        Some(named) if other.is_some_and(|other| other.input == named.input) => named,
        _ => with_served_schemas(tool),
    }
}

fn with_served_schemas(mut tool: Tool) -> Tool {
    tool.input = server::to_served_schema(&tool.input);
    tool.output = tool.output.as_ref().map(server::to_served_schema);
    tool
}

/// Why the server to compare with could not be started.
fn start_error(command: &[String], failure: Failure) -> CommandError {
    let program = command.first().map(String::as_str).unwrap_or_default();
    match failure.error_type {
        ErrorType::ProgramNotFound => {
            let hint = "pass a command line whose program is in PATH or named by its path, \
                        or a URL that begins with `http://`";
            CommandError::machine(format!("cannot find the program `{program}`")).hint(hint)
        }
        _ => CommandError::machine_failure(failure),
    }
}

/// The origin for tools that no definition has: the configuration, else the first definition.
fn fallback_origin(crib: &Crib, loaded: &Loaded) -> Origin {
    let config = SourceId::new("toolcrib.toml");
    let first =
        loaded.catalog.tools().first().filter(|_| !crib.folder.join(config.as_str()).exists());
    Origin::whole_file(first.map_or(&config, |tool| &tool.origin.source))
}

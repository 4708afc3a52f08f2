//! `check --against`: definitions compared with what a live server lists.

use std::{collections::HashSet, path::PathBuf};

use catalog::{Diagnostic, ErrorType, Failure, Origin, SourceId, Tool, name};
use runtime::Runtime;
use server::client::{self, Other};
use workspace::{Crib, GUIDE_TOOLS, Loaded};

use super::super::serve;
use crate::{error::CommandError, executor::block_on};

/// A server to compare with.
#[derive(clap::Args)]
pub(super) struct Against {
    /// Compare with what this MCP server lists: a command line, which is run without a shell, or `http://127.0.0.1:PORT/mcp`.
    /// Exits with 1 if anything differs.
    #[arg(long, value_name = "CMD|URL")]
    against: Option<String>,
    /// A file with the bearer token that the server asks for.
    #[arg(long, value_name = "FILE", requires = "against")]
    token_file: Option<PathBuf>,
}

impl Against {
    /// Whether there is something to compare with.
    pub(super) fn is_wanted(&self) -> bool {
        self.against.is_some()
    }

    /// What differs.
    pub(super) fn check(
        &self,
        crib: &Crib,
        loaded: &Loaded,
    ) -> Result<Vec<Diagnostic>, CommandError> {
        let Some(server) = &self.against else {
            return Ok(Vec::new());
        };
        let token = self.token_file.as_deref().map(serve::read_token).transpose()?;
        let listed = block_on(listed(crib, server, token))??;
        let decorated = |name: &str| match crib.config.crib.full_names {
            true => name::qualify(&crib.name(), name),
            false => name.to_owned(),
        };
        let describe = host::describer(crib);
        let defined: Vec<_> = loaded
            .catalog
            .tools()
            .iter()
            .map(|tool| {
                let name = decorated(&tool.name);
                as_listed(
                    tool,
                    describe(tool),
                    listed.iter().find(|other| other.name == name),
                    name,
                )
            })
            .collect();
        let own = name::BUILT_IN.into_iter().chain(GUIDE_TOOLS);
        let own: Vec<String> =
            own.flat_map(|name| [decorated(name), decorated(&format!("guide_{name}"))]).collect();
        let own: HashSet<&str> = own.iter().map(String::as_str).collect();
        Ok(compat::find_drift(&defined, &listed, &own, &elsewhere(crib, loaded)))
    }
}

/// A tool as a server would list it. How much a description says is a server's choice, and whether sessions have names.
fn as_listed(tool: &Tool, described: String, other: Option<&Tool>, name: String) -> Tool {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut tool = Tool { name, ..tool.clone() };
    if other.is_some_and(|other| words(&other.description.text) == words(&described)) {
        tool.description.text = described;
    }
    match runtime::with_handle(&tool) {
        Some(named) if other.is_some_and(|other| other.input == named.input) => named,
        _ => tool,
    }
}

async fn listed(
    crib: &Crib,
    server: &str,
    token: Option<String>,
) -> Result<Vec<Tool>, CommandError> {
    let is_address = server.starts_with("http://") || server.starts_with("https://");
    let other = if is_address {
        Other::Address { url: server.to_owned(), token }
    } else {
        let command = shlex::split(server).filter(|words| !words.is_empty()).ok_or_else(|| {
            CommandError::machine(format!("`{server}` is no command line"))
                .hint("close every quotation mark in it")
        })?;
        let peer = Runtime::new(crib.settings())
            .start_peer(&command)
            .await
            .map_err(|failure| unstarted(&command, failure))?;
        Other::Program(Box::new(peer))
    };
    client::listed(other).await.map_err(|error| {
        CommandError::machine(error.to_string()).hint("start the server by hand to see why")
    })
}

/// Why there is no server to compare with.
fn unstarted(command: &[String], failure: Failure) -> CommandError {
    let program = command.first().map(String::as_str).unwrap_or_default();
    match failure.error_type {
        ErrorType::ProgramNotFound => CommandError::machine(format!("there is no program `{program}` to compare with"))
            .hint("name one in PATH or by its path, with its arguments, or an address that begins with `http://`"),
        _ => CommandError::store(failure),
    }
}

/// Where what is in no definition belongs: the configuration, else the first definition.
fn elsewhere(crib: &Crib, loaded: &Loaded) -> Origin {
    let config = SourceId::new("toolcrib.toml");
    let first =
        loaded.catalog.tools().first().filter(|_| !crib.folder.join(config.as_str()).exists());
    Origin::whole(first.map_or(&config, |tool| &tool.origin.source))
}

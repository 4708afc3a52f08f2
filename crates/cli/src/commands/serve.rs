//! `serve`: the tools of a crib over MCP.

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
};

use host::{Options, Persistence, ServedCrib, Sessions, Watched};
use server::HttpOptions;
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};
use tokio_util::sync::CancellationToken;
use workspace::{Crib, Environment, Groups, Http};

use super::{CommandContext, CommandResult};
use crate::error::CommandError;

/// Serve the tools of the crib over MCP: on stdio, or with --http over HTTP at /mcp.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Serve streamable HTTP on this address instead of stdio.
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Require the bearer token in this file; needed to listen beyond this machine.
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Prefix the names of native tools with this and `_`; an empty prefix removes the default one.
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// Reload definitions whenever they change. For development: a tool may write a definition.
    #[arg(long)]
    watch: bool,
    /// Serve only tools of these groups, and the built-in ones: a regular expression on the part of
    /// the name after PACKAGE-mcp_tool_. Repeatable.
    #[arg(long, value_name = "REGEXP")]
    groups: Vec<String>,
    /// Keep operations, approvals and flags in memory: they are gone when the server ends, and
    /// nothing is recorded.
    #[arg(long)]
    ephemeral: bool,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let token = args.token_file.as_deref().map(read_token).transpose()?;
    if let Some(address) = args.http
        && !address.ip().is_loopback()
        && token.is_none()
    {
        return Err(CommandError::machine(format!(
            "refusing to listen on {address} without a token"
        ))
        .hint("pass a token with --token-file, or listen on 127.0.0.1"));
    }
    let crib = context.crib()?;
    let options = Options {
        persistence: if args.ephemeral { Persistence::Ephemeral } else { Persistence::OnDisk },
        groups: Groups::new(&args.groups)?,
        prefix: args.prefix.clone(),
        // Modern HTTP requests belong to no connection, so state needs an explicit handle.
        sessions: if args.http.is_some() { Sessions::ByHandle } else { Sessions::ByConnection },
        ..Options::default()
    };
    let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let executor =
        executor.map_err(|error| CommandError::machine(format!("cannot start: {error}")))?;
    // A multi-threaded executor of its own: `block_on` of other commands has a single worker.
    let result = executor.block_on(serve(crib, options, context.environment, args, token));
    // A pending read of standard input must not keep the process alive.
    executor.shutdown_background();
    result.map(|()| ExitCode::SUCCESS)
}

/// Reads a token, without surrounding white space.
pub(super) fn read_token(path: &Path) -> Result<String, CommandError> {
    let text = fs::read_to_string(path).map_err(|error| CommandError::io("read", path, &error))?;
    match text.trim() {
        "" => Err(CommandError::machine(format!("the token file `{}` is empty", path.display()))
            .hint("write a long random token into it")),
        token => Ok(token.to_owned()),
    }
}

async fn serve(
    crib: Crib,
    options: Options,
    environment: &Environment,
    args: &Args,
    token: Option<String>,
) -> Result<(), CommandError> {
    let signals = |error: std::io::Error| {
        CommandError::machine(format!("cannot listen for signals: {error}"))
    };
    let http = crib.config.http.clone();
    let served = ServedCrib::start(crib, environment, options).await?;
    let shutdown = CancellationToken::new();
    // After the start, so that Ctrl-C during a slow start still ends the process at once.
    stop_on_signal(shutdown.clone()).map_err(signals)?;
    reload_on_hangup(served.clone()).map_err(signals)?;
    served.watch(if args.watch { Watched::Everything } else { Watched::Documents })?;
    let control = served.open_control_socket().await;
    let server = served.server().clone();
    let result = match args.http {
        Some(address) => {
            let listener = TcpListener::bind(address).await;
            let listener = listener.map_err(|error| {
                CommandError::machine(format!("cannot listen on {address}: {error}"))
            })?;
            tracing::info!("listening on http://{}/mcp", listener.local_addr().unwrap_or(address));
            server::serve_http(server, http_options(listener, token, &http), shutdown).await
        }
        None => server::serve_stdio_until(server, shutdown).await,
    };
    if let Some(control) = control {
        control.abort();
        // Waiting for the task drops its listener, which removes the socket.
        let _ = control.await;
    }
    result.map_err(|error| CommandError::machine(error.to_string()))
}

fn http_options(listener: TcpListener, token: Option<String>, http: &Http) -> HttpOptions {
    let defaults = HttpOptions::new(listener);
    HttpOptions {
        token,
        hosts: http.hosts.clone(),
        origins: http.origins.clone(),
        max_sessions: http.max_sessions.unwrap_or(defaults.max_sessions),
        max_calls: http.max_calls.unwrap_or(defaults.max_calls),
        max_connections: http.max_connections.unwrap_or(defaults.max_connections),
        max_body: http.max_body_bytes.unwrap_or(defaults.max_body),
        ..defaults
    }
}

fn reload_on_hangup(served: ServedCrib) -> std::io::Result<()> {
    let mut hangups = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            served.reload().await;
        }
    });
    Ok(())
}

fn stop_on_signal(shutdown: CancellationToken) -> std::io::Result<()> {
    let mut term = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = interrupt.recv() => {}
        }
        shutdown.cancel();
    });
    Ok(())
}

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

/// Serve the tools of the crib over MCP: on standard input and output, or with --http over HTTP at /mcp.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Serve streamable HTTP at this address instead of standard input and output.
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// A file with the bearer token that clients must send; needed to listen beyond this machine.
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Put this before the names of native tools, with a `_` between; nothing for none.
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// Read definitions again whenever they change. For development: a tool may write a definition.
    #[arg(long)]
    watch: bool,
    /// Only tools of these groups, and the built-in ones: a regular expression on what follows PACKAGE-mcp_tool_ in a name.
    /// May be given several times.
    #[arg(long, value_name = "REGEXP")]
    groups: Vec<String>,
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
        .hint("name a file that holds one with --token-file, or listen on 127.0.0.1"));
    }
    let crib = context.crib()?;
    let options = Options {
        persistence: Persistence::BestEffort,
        groups: Groups::new(&args.groups)?,
        prefix: args.prefix.clone(),
        sessions: if args.http.is_some() { Sessions::ByHandle } else { Sessions::ByConnection },
        ..Options::default()
    };
    let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let executor =
        executor.map_err(|error| CommandError::machine(format!("cannot start: {error}")))?;
    let result = executor.block_on(serve(crib, options, context.environment, args, token));
    // A pending read of standard input must not keep the process alive.
    executor.shutdown_background();
    result.map(|()| ExitCode::SUCCESS)
}

/// The token in a file.
pub(super) fn read_token(path: &Path) -> Result<String, CommandError> {
    let text = fs::read_to_string(path).map_err(|error| CommandError::io("read", path, &error))?;
    match text.trim() {
        "" => Err(CommandError::machine(format!("the token file `{}` is empty", path.display()))),
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
    stop_on_signal(shutdown.clone()).map_err(signals)?;
    reload_on_hangup(served.clone()).map_err(signals)?;
    served.watch(if args.watch { Watched::Everything } else { Watched::Documents })?;
    let control = tokio::spawn(served.clone().serve_control_socket());
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
    // Waiting for the task drops its listener, which removes the socket.
    control.abort();
    let _ = control.await;
    result.map_err(|error| CommandError::machine(error.to_string()))
}

fn http_options(listener: TcpListener, token: Option<String>, http: &Http) -> HttpOptions {
    let usual = HttpOptions::new(listener);
    HttpOptions {
        token,
        hosts: http.hosts.clone(),
        origins: http.origins.clone(),
        max_sessions: http.max_sessions.unwrap_or(usual.max_sessions),
        max_calls: http.max_calls.unwrap_or(usual.max_calls),
        max_body: http.max_body_bytes.unwrap_or(usual.max_body),
        ..usual
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

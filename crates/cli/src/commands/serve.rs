//! `serve`: the tools of a crib over MCP.

use std::{
    fs,
    io::ErrorKind,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
};

use host::{
    Options, Persistence, ServedCrib, Sessions, Watched,
    background::{Background, Status, VERSION},
};
use serde_json::json;
use server::HttpOptions;
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};
use tokio_util::sync::CancellationToken;
use workspace::{Crib, Environment, Groups, Http};

use super::{CommandContext, CommandResult};
use crate::{
    address::{self, Address},
    error::CommandError,
    executor::block_on,
    systemd, terminal,
};

/// Serve the tools of the crib over MCP: on stdio, or with --http over HTTP at /mcp.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Serve streamable HTTP on this address instead of stdio.
    /// ADDR is a port (`7337`), an address with a port, or `systemd` for the socket of its `.socket` unit.
    #[arg(long, value_name = "ADDR", value_parser = address::parse)]
    http: Option<Address>,
    /// Serve in the background, for `up`.
    #[arg(long, hide = true, conflicts_with_all = ["http", "ephemeral"])]
    background: bool,
    /// Folders are named with -C.
    #[arg(hide = true, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Require the bearer token in this file instead of the crib's own, which is created on first
    /// use; needed to listen beyond this machine.
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Require no token: every program on this machine can call the tools, and nothing can be
    /// approved in a client.
    #[arg(long, requires = "http", conflicts_with = "token_file")]
    no_token: bool,
    /// Prefix the names of native tools with this and `_`; an empty prefix removes the default one.
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// Reload definitions whenever they change. For development: a tool may write a definition.
    #[arg(long)]
    watch: bool,
    /// Serve only the tools of this `[[profile]]`. Over HTTP, every profile is served at /mcp/NAME
    /// without this option.
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
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
    if let Some(folder) = &args.folder {
        let folder = folder.display();
        return Err(CommandError::machine(format!("`serve` takes no folder, received `{folder}`"))
            .hint(format!("run `toolcrib -C {folder} serve`")));
    }
    // Before the crib is read, which starts threads.
    runtime::limit_heaps();
    let http = args.http.map(Endpoint::find).transpose()?;
    if let Some(Endpoint { address, .. }) = &http
        && !address.ip().is_loopback()
        && args.token_file.is_none()
    {
        return Err(CommandError::machine(format!(
            "other machines can reach {address}, so clients must send a token that you choose"
        ))
        .hint("write a long random token to a file and pass it with `--token-file`, or listen on 127.0.0.1"));
    }
    if args.background {
        // Leaves the session of the terminal, which would stop the server when it closes. Fails
        // only if the process already leads a session of its own.
        let _ = rustix::process::setsid();
    }
    let crib = context.crib()?;
    if can_join(context, args)
        && let Some(joined) = join_background(&crib)?
    {
        return joined;
    }
    if let Some(name) = &args.profile {
        find_profile(&crib, name)?;
    }
    let token = if args.http.is_some() { open_token(&crib, args)? } else { None };
    let options = Options {
        persistence: if args.ephemeral { Persistence::Ephemeral } else { Persistence::OnDisk },
        groups: Groups::new(&args.groups)?,
        profile: args.profile.clone(),
        profiles_apart: args.http.is_some() && args.profile.is_none(),
        prefix: args.prefix.clone(),
        // Modern HTTP requests belong to no connection, so state needs an explicit handle.
        sessions: if args.http.is_some() { Sessions::ByHandle } else { Sessions::ByConnection },
        ..Options::default()
    };
    let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let executor =
        executor.map_err(|error| CommandError::machine(format!("cannot start: {error}")))?;
    // A multi-threaded executor of its own: `block_on` of other commands has a single worker.
    let result = executor.block_on(serve(crib, options, context.environment, args, http, token));
    // A pending read of standard input must not keep the process alive.
    executor.shutdown_background();
    result.map(|()| ExitCode::SUCCESS)
}

/// Where HTTP clients connect.
struct Endpoint {
    address: SocketAddr,
    /// The socket, if systemd has opened it.
    inherited: Option<std::net::TcpListener>,
}

impl Endpoint {
    fn find(address: Address) -> Result<Self, CommandError> {
        let address = match address {
            Address::Open(address) => return Ok(Self { address, inherited: None }),
            Address::Systemd => systemd::take_listener(),
        };
        let found = address.and_then(|listener| {
            let address = listener.as_ref().map(std::net::TcpListener::local_addr).transpose()?;
            Ok(address.map(|address| Self { address, inherited: listener }))
        });
        found
            .map_err(|error| {
                CommandError::machine(format!("cannot use the socket of systemd: {error}"))
            })?
            .ok_or_else(|| {
                CommandError::machine("systemd has passed no socket to this process").hint(
                    "start the `.socket` unit of this service, or pass an address to `--http`",
                )
            })
    }

    /// Listens. Clients can connect to an inherited socket already.
    async fn listen(self) -> Result<TcpListener, CommandError> {
        let Self { address, inherited } = self;
        let listener = match inherited {
            Some(listener) => TcpListener::from_std(listener),
            None => TcpListener::bind(address).await,
        };
        listener.map_err(|error| {
            let hint = match error.kind() {
                ErrorKind::AddrInUse => "another program listens on this port, perhaps another `toolcrib serve`; stop it or choose another port",
                ErrorKind::PermissionDenied => "choose a port above 1023",
                _ => "choose an address of this machine",
            };
            CommandError::machine(format!("cannot listen on {address}: {error}")).hint(hint)
        })
    }
}

/// Fails unless the crib has this profile.
pub(super) fn find_profile(crib: &Crib, name: &str) -> Result<(), CommandError> {
    if crib.profiles.iter().any(|profile| profile.name == name) {
        return Ok(());
    }
    let names: Vec<_> = crib.profiles.iter().map(|profile| format!("`{}`", profile.name)).collect();
    let hint = if names.is_empty() {
        "add one to toolcrib.toml: `[[profile]]` with `name` and `tools`".to_owned()
    } else {
        format!("this crib has {}", names.join(", "))
    };
    Err(CommandError::machine(format!("there is no profile `{name}`")).hint(hint))
}

/// Whether a background server would serve a client of this command in the same way.
fn can_join(context: &CommandContext<'_>, args: &Args) -> bool {
    let has_prefix = args.prefix.is_some() || context.environment.get("MCP_TOOL_PREFIX").is_some();
    let is_plain = args.http.is_none() && args.groups.is_empty() && !args.ephemeral;
    is_plain && args.profile.is_none() && !args.background && !args.watch && !has_prefix
}

/// Connects the client on stdio to the background server. `None` if none runs or its version
/// differs: then this process serves the client.
fn join_background(crib: &Crib) -> Result<Option<CommandResult>, CommandError> {
    block_on(async {
        let joined = match Background::of(crib).join().await {
            Ok(Some(joined)) => joined,
            Ok(None) => return None,
            Err(error) => {
                tracing::warn!(
                    "cannot join the background server, so this process serves: {error}"
                );
                return None;
            }
        };
        let Status { version, pid, .. } = &joined.status;
        if version != VERSION {
            tracing::warn!(
                "the background server (process {pid}) has version {version} and this is {VERSION}, so this process serves; run `toolcrib down`, then `toolcrib up`"
            );
            return None;
        }
        tracing::info!("joined the background server in process {pid}");
        let ended = joined.proxy().await;
        Some(ended.map(|()| ExitCode::SUCCESS).map_err(|error| {
            CommandError::machine(format!("the connection to the background server broke: {error}"))
        }))
    })
}

/// The token that HTTP clients must send.
struct Token {
    secret: String,
    file: PathBuf,
    is_new: bool,
}

/// Opens the token file that the command line names, or the crib's own. `None` with `--no-token`.
fn open_token(crib: &Crib, args: &Args) -> Result<Option<Token>, CommandError> {
    if args.no_token {
        tracing::warn!(
            "no token is required: every program on this machine can call these tools, and answers to forms do not count as approvals"
        );
        return Ok(None);
    }
    let (file, is_new) = match &args.token_file {
        Some(file) => (file.clone(), false),
        None => host::open_token(crib).map_err(|error| {
            CommandError::machine(format!(
                "cannot create a token in {}: {error}",
                crib.state_folder().display()
            ))
            .hint("pass one with --token-file, or require none with --no-token")
        })?,
    };
    Ok(Some(Token { secret: read_token(&file)?, file, is_new }))
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
    endpoint: Option<Endpoint>,
    token: Option<Token>,
) -> Result<(), CommandError> {
    let signals = |error: std::io::Error| {
        CommandError::machine(format!("cannot listen for signals: {error}"))
    };
    let (name, http) = (crib.name(), crib.config.http.clone());
    let background = Background::of(&crib);
    let served = ServedCrib::start(crib, environment, options).await?;
    let shutdown = CancellationToken::new();
    // Installed after the start, so that Ctrl-C during a slow start still ends the process at once.
    stop_on_signal(shutdown.clone()).map_err(signals)?;
    reload_on_hangup(served.clone()).map_err(signals)?;
    served.watch(if args.watch { Watched::Everything } else { Watched::Documents })?;
    let control = served.open_control_socket().await;
    let server = served.server().clone();
    let result = match endpoint {
        Some(endpoint) => {
            let address = endpoint.address;
            let listener = endpoint.listen().await?;
            let url = format!("http://{}/mcp", listener.local_addr().unwrap_or(address));
            tracing::info!("listening on {url}");
            let exposure = token.as_ref().and_then(|token| served.find_token_exposure(&token.file));
            if let Some(token) = &token {
                warn_about_short_token(token);
                announce_token(token, &name, &url);
            }
            if let Some(why) = &exposure {
                tracing::warn!("answers to forms do not count as approvals: {why}");
            }
            let options = HttpOptions {
                token: token.map(|token| token.secret),
                speaks_for_person: exposure.is_none(),
                profiles: served.profiles().to_vec(),
                ..http_options(listener, &http)
            };
            systemd::notify(environment, systemd::READY);
            let stopping = environment.clone();
            let stop = shutdown.clone();
            tokio::spawn(async move {
                stop.cancelled().await;
                systemd::notify(&stopping, systemd::STOPPING);
            });
            server::serve_http(server, options, shutdown).await
        }
        None if args.background => {
            let socket = background.bind().await.map_err(|error| {
                CommandError::machine(format!("cannot open the socket of the server: {error}"))
            })?;
            tracing::info!("serving in the background");
            socket.serve(server, VERSION, shutdown).await
        }
        None => {
            if terminal::has_person() {
                terminal::note(&format!(
                    "`{name}` waits for an MCP client on standard input. Clients start this command themselves: run `toolcrib connect` to set one up, or `toolcrib serve --http 7337` for HTTP. Press Ctrl-C to stop."
                ));
            }
            server::serve_stdio_until(server, shutdown).await
        }
    };
    if let Some(control) = control {
        control.abort();
        // Waiting for the task drops its listener, which removes the socket.
        let _ = control.await;
    }
    result.map_err(|error| CommandError::machine(error.to_string()))
}

/// Minimum length of a token; a shorter one is reported as weak. Random characters of this number
/// have 80 bits.
const SHORT_TOKEN: usize = 16;

fn warn_about_short_token(token: &Token) {
    let length = token.secret.chars().count();
    if length < SHORT_TOKEN {
        tracing::warn!(
            "the token in {} can be guessed: it has {length} characters; use at least {SHORT_TOKEN} random ones, or leave \
             out --token-file to have one created",
            token.file.display()
        );
    }
}

/// Prints a new token once, as the entry that clients have in their configuration; later the file
/// has it.
fn announce_token(token: &Token, crib: &str, url: &str) {
    let file = token.file.display();
    if !token.is_new {
        return tracing::info!("clients send the token in {file}");
    }
    let headers = json!({"Authorization": format!("Bearer {}", token.secret)});
    let entry = json!({"type": "http", "url": url, "headers": headers});
    terminal::note(&format!(
        "clients need the token in {file}; add this to the configuration of a client, in a file that tools cannot read:\n{}",
        json!({"mcpServers": {crib: entry}})
    ));
}

fn http_options(listener: TcpListener, http: &Http) -> HttpOptions {
    let defaults = HttpOptions::new(listener);
    HttpOptions {
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

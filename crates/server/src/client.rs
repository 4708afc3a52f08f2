//! The client side: lists the tools of another server. Calls nothing.

mod http;

use std::time::Duration;

use catalog::{Annotations, Description, Implementation, Origin, Schema, SourceId, Tool};
use rmcp::{
    RoleClient,
    model::{
        self as wire, ClientCapabilities, ClientConfig, PaginatedRequestParams, ProtocolVersion,
    },
    service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RunningService},
    transport::{
        IntoTransport, StreamableHttpClientTransport,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use runtime::Peer;
use tokio::time::timeout;

use self::http::{LoopbackClient, is_loopback};
use crate::output_schema;

/// Timeout of a server for the handshake, and again for its list.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Pages of a list that are read.
const MAX_PAGES: usize = 1000;

/// A server to connect to.
pub enum Target {
    /// A program that serves on stdin and stdout.
    Program(Box<Peer>),
    /// A server on this machine, over HTTP.
    Http {
        /// Its URL, with a loopback host.
        url: String,
        /// The bearer token that it requires.
        token: Option<String>,
    },
}

/// Why the tools of a server could not be listed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The URL is not a loopback one.
    #[error(
        "`{0}` is not on this machine; use a loopback address such as `http://127.0.0.1:PORT/PATH`"
    )]
    NotLoopback(String),
    /// It requires a bearer token, and none was sent.
    #[error("the server requires a token")]
    TokenRequired,
    /// It requires another bearer token than the one that was sent.
    #[error("the server rejected the token")]
    TokenRejected,
    /// It cannot be reached, does not implement the protocol, or did not answer in time.
    #[error("cannot list the tools of the server: {0}")]
    Protocol(String),
}

/// Lists the tools of a server as definitions whose origin is the server.
pub async fn list_tools(target: Target) -> Result<Vec<Tool>, ClientError> {
    match target {
        Target::Program(mut peer) => {
            let streams = peer
                .streams()
                .ok_or_else(|| ClientError::Protocol("it has no stdin and stdout".to_owned()))?;
            let listed = list_and_close(connect(streams, newest_revision()).await).await;
            // Read even after a success, because stopping is what collects it. A server that fails
            // to start usually explains itself there.
            let stderr = peer.stop().await;
            listed.map_err(|error| match (error, stderr.trim()) {
                (ClientError::Protocol(why), stderr) if !stderr.is_empty() => {
                    ClientError::Protocol(format!("{why}; its stderr: {stderr}"))
                }
                (error, _) => error,
            })
        }
        Target::Http { url, token } => {
            if !is_loopback(&url) {
                return Err(ClientError::NotLoopback(url));
            }
            let client = LoopbackClient::default();
            let transport = || {
                let mut config = StreamableHttpClientTransportConfig::with_uri(url.clone());
                config.auth_header.clone_from(&token);
                StreamableHttpClientTransport::with_client(client.clone(), config)
            };
            // Two attempts need two transports: a transport is consumed by the handshake.
            let listed = match connect(transport(), newest_revision()).await {
                // Some legacy servers reject `server/discover` in a way that the library does not
                // recognize, so fall back to the handshake on any error.
                Err(_) => {
                    let handshake = ClientLifecycleMode::Initialize;
                    list_and_close(connect(transport(), handshake).await).await
                }
                connected => list_and_close(connected).await,
            };
            listed.map_err(|error| match (client.is_unauthorized(), token) {
                (true, None) => ClientError::TokenRequired,
                (true, Some(_)) => ClientError::TokenRejected,
                (false, _) => error,
            })
        }
    }
}

/// Negotiates the newest revision that the server supports, of either era.
fn newest_revision() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    }
}

type Connected = RunningService<RoleClient, ClientConfig>;

async fn connect<T, E, A>(transport: T, mode: ClientLifecycleMode) -> Result<Connected, ClientError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let info = wire::Implementation::new("toolcrib", env!("CARGO_PKG_VERSION"));
    let client = ClientConfig::new(ClientCapabilities::default(), info);
    let opened = timeout(TIMEOUT, client.serve_with_lifecycle(transport, mode)).await;
    let opened = opened.map_err(|_| {
        ClientError::Protocol(format!("no handshake within {} seconds", TIMEOUT.as_secs()))
    })?;
    opened.map_err(|error| ClientError::Protocol(root_cause(&error)))
}

/// The innermost cause of a failed handshake: the outer ones only name internal types.
fn root_cause(error: &ClientInitializeError) -> String {
    let ClientInitializeError::TransportError { error, .. } = error else {
        return error.to_string();
    };
    // "connection refused" is what the user needs to read.
    let mut cause: &dyn std::error::Error = &*error.error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

async fn list_and_close(
    connected: Result<Connected, ClientError>,
) -> Result<Vec<Tool>, ClientError> {
    let connected = connected?;
    let pages = timeout(TIMEOUT, read_pages(&connected)).await;
    // The result is known already, and a server that does not shut down properly is not our
    // problem.
    let _ = connected.cancel().await;
    let tools = pages.map_err(|_| {
        ClientError::Protocol(format!("no list within {} seconds", TIMEOUT.as_secs()))
    })??;
    Ok(tools.into_iter().map(to_definition).collect())
}

async fn read_pages(connected: &Connected) -> Result<Vec<wire::Tool>, ClientError> {
    let (mut tools, mut cursor) = (Vec::new(), None);
    for _ in 0..MAX_PAGES {
        let mut params = PaginatedRequestParams::default();
        params.cursor = cursor;
        let page = connected
            .list_tools(Some(params))
            .await
            .map_err(|error| ClientError::Protocol(error.to_string()))?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(tools);
        }
    }
    Err(ClientError::Protocol(format!("its list has more than {MAX_PAGES} pages")))
}

/// Converts a listed tool to a definition without implementation.
fn to_definition(listed: wire::Tool) -> Tool {
    let origin = Origin::whole_file(&SourceId::new("the server"));
    let input = Schema::new((*listed.input_schema).clone());
    let text = listed.description.as_deref().unwrap_or_default();
    let mut tool = Tool::new(listed.name.as_ref(), text, input, Implementation::Missing, origin);
    tool.description = Description::new(text);
    tool.title.clone_from(&listed.title);
    tool.output =
        listed.output_schema.as_deref().map(|schema| Schema::new(output_schema::narrow(schema)));
    if let Some(hints) = &listed.annotations {
        tool.annotations = Annotations {
            // Absent hints stay undeclared: the protocol's defaults describe the worst case, not
            // what the server promised.
            mutates: hints.read_only_hint.map(|only| !only),
            dangerous: hints.destructive_hint,
            idempotent: hints.idempotent_hint,
            network: hints.open_world_hint.map(Into::into),
            ..Annotations::default()
        };
    }
    tool
}

//! The client side: what another server lists. Nothing is called there.

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

use self::http::{Loopback, is_loopback};
use crate::output;

/// How long a server may take for the handshake, and then for its list.
const PATIENCE: Duration = Duration::from_secs(30);
/// The most pages of a list that are read.
const PAGES: usize = 1000;

/// Another server.
pub enum Other {
    /// A program that speaks on its standard input and output.
    Program(Box<Peer>),
    /// An address on this machine, and the token that it asks for.
    Address {
        /// Its URL.
        url: String,
        /// What it asks for.
        token: Option<String>,
    },
}

/// Why a server could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Its address is not one that is asked.
    #[error(
        "`{0}` is not an address on this machine: only `http://127.0.0.1:PORT/PATH` and the like are asked"
    )]
    Address(String),
    /// It does not speak the protocol, or not in time.
    #[error("the server does not answer as a server should: {0}")]
    Protocol(String),
}

/// The tools that a server lists, as definitions whose origin is the server.
pub async fn listed(other: Other) -> Result<Vec<Tool>, ClientError> {
    match other {
        Other::Program(mut peer) => {
            let streams = peer
                .streams()
                .ok_or_else(|| ClientError::Protocol("it cannot be spoken to".to_owned()))?;
            let listed = of(connected(streams, either()).await).await;
            let said = peer.stop().await;
            listed.map_err(|error| match (error, said.trim()) {
                (ClientError::Protocol(why), said) if !said.is_empty() => {
                    ClientError::Protocol(format!("{why}; it said: {said}"))
                }
                (error, _) => error,
            })
        }
        Other::Address { url, token } => {
            if !is_loopback(&url) {
                return Err(ClientError::Address(url));
            }
            let transport = || {
                let mut config = StreamableHttpClientTransportConfig::with_uri(url.clone());
                config.auth_header.clone_from(&token);
                StreamableHttpClientTransport::with_client(Loopback, config)
            };
            match connected(transport(), either()).await {
                // Some older servers refuse what they do not know in ways of their own.
                Err(_) => of(connected(transport(), ClientLifecycleMode::Initialize).await).await,
                connected => of(connected).await,
            }
        }
    }
}

/// The newest revision that the server speaks, of both eras.
fn either() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    }
}

type Connected = RunningService<RoleClient, ClientConfig>;

async fn connected<T, E, A>(
    transport: T,
    mode: ClientLifecycleMode,
) -> Result<Connected, ClientError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let about = wire::Implementation::new("toolcrib", env!("CARGO_PKG_VERSION"));
    let client = ClientConfig::new(ClientCapabilities::default(), about);
    let opened = timeout(PATIENCE, client.serve_with_lifecycle(transport, mode)).await;
    let opened = opened.map_err(|_| {
        ClientError::Protocol(format!("no handshake within {} seconds", PATIENCE.as_secs()))
    })?;
    opened.map_err(|error| ClientError::Protocol(reason(&error)))
}

/// Why nobody answered, without the names of our own types.
fn reason(error: &ClientInitializeError) -> String {
    let ClientInitializeError::TransportError { error, .. } = error else {
        return error.to_string();
    };
    let mut cause: &dyn std::error::Error = &*error.error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

async fn of(connected: Result<Connected, ClientError>) -> Result<Vec<Tool>, ClientError> {
    let connected = connected?;
    let pages = timeout(PATIENCE, pages(&connected)).await;
    let _ = connected.cancel().await;
    let tools = pages.map_err(|_| {
        ClientError::Protocol(format!("no list within {} seconds", PATIENCE.as_secs()))
    })??;
    Ok(tools.into_iter().map(definition).collect())
}

async fn pages(connected: &Connected) -> Result<Vec<wire::Tool>, ClientError> {
    let (mut tools, mut cursor) = (Vec::new(), None);
    for _ in 0..PAGES {
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
    Err(ClientError::Protocol(format!("its list has more than {PAGES} pages")))
}

/// A listed tool as if somebody had defined it.
fn definition(listed: wire::Tool) -> Tool {
    let origin = Origin::whole(&SourceId::new("the server"));
    let input = Schema::new((*listed.input_schema).clone());
    let text = listed.description.as_deref().unwrap_or_default();
    let mut tool = Tool::new(listed.name.as_ref(), text, input, Implementation::Missing, origin);
    tool.description = Description::new(text);
    tool.title.clone_from(&listed.title);
    tool.output =
        listed.output_schema.as_deref().map(|schema| Schema::new(output::narrowed(schema)));
    if let Some(hints) = &listed.annotations {
        tool.annotations = Annotations {
            mutates: hints.read_only_hint.map(|only| !only),
            dangerous: hints.destructive_hint,
            idempotent: hints.idempotent_hint,
            network: hints.open_world_hint,
            ..Annotations::default()
        };
    }
    tool
}

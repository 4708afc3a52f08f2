//! Many clients over streamable HTTP at `/mcp`, with `/healthz` beside it.
//!
//! The protocol library does the protocol; what stands in front of it (`front`) keeps out who may
//! not come in and bounds what may.

mod front;
mod priming;

use std::{
    future::IntoFuture,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::serve::ListenerExt;
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::local::LocalSessionManager,
};
use runtime::Operations;
use sha2::{Digest, Sha256};
use tokio::{
    net::TcpListener,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use self::front::Front;
use crate::{ServeError, Server, connection::Connection, gate::Gate, lifetime::Lifetime};

/// How long calls may go on after the shutdown has begun.
const GRACE: Duration = Duration::from_secs(2);

/// How long the answers of calls that have ended may take to be sent.
const FLUSH: Duration = Duration::from_millis(200);

/// How long cancelled calls and open connections may take to end.
const DEADLINE: Duration = Duration::from_secs(3);

/// Where and for whom to serve.
#[derive(Debug)]
pub struct HttpOptions {
    /// Where connections come in.
    pub listener: TcpListener,
    /// What clients must present as a bearer token. Required beyond loopback.
    pub token: Option<String>,
    /// Values of `Host` that are accepted besides loopback names and the listener's own address.
    pub hosts: Vec<String>,
    /// Values of `Origin` that are accepted besides loopback ones, such as `https://app.example:443`.
    pub origins: Vec<String>,
    /// The most sessions of older clients at once.
    pub max_sessions: usize,
    /// The most calls at once.
    pub max_calls: usize,
    /// The longest request body, in bytes.
    pub max_body: usize,
}

impl HttpOptions {
    /// The defaults, on this listener.
    pub fn new(listener: TcpListener) -> Self {
        Self {
            listener,
            token: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            max_sessions: 256,
            max_calls: 256,
            max_body: 4 << 20,
        }
    }
}

/// Serves clients over HTTP until `shutdown` is cancelled, then lets calls end for a moment.
pub async fn serve_http(
    server: Server,
    options: HttpOptions,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    let runtime = server.runtime.clone();
    let served = serve(server, options, shutdown).await;
    runtime.flush_audit();
    served
}

async fn serve(
    server: Server,
    options: HttpOptions,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    let address = options.listener.local_addr()?;
    check_reach(address, options.token.as_deref())?;
    let lifetime = Lifetime::default();
    let gate = Arc::new(Gate::new(options.max_calls));
    let streams = CancellationToken::new();
    let sessions = Arc::new(LocalSessionManager::default());
    let connect = {
        let (server, gate, lifetime) = (server.clone(), gate.clone(), lifetime.clone());
        let owner = principal(options.token.as_deref());
        move || Ok(Connection::new(server.clone(), owner.clone(), gate.clone(), lifetime.clone()))
    };
    let _watch = server.watch();
    let operations = server.operations();
    let service = StreamableHttpService::new(
        connect,
        sessions.clone(),
        config(&options, address.ip(), &streams),
    );
    let front = Front::new(service, sessions, server, &options);
    // Small replies must not wait for the client to acknowledge the ones before.
    let listener = options.listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let serving = axum::serve(listener, front.router())
        .with_graceful_shutdown(shutdown.clone().cancelled_owned());
    tokio::select! {
        served = serving.into_future() => served?,
        () = end(&lifetime, &gate, &operations, &streams, &shutdown) => tracing::warn!("some connections did not end in time"),
    }
    if timeout(DEADLINE, operations.drain()).await.is_err() {
        tracing::warn!("some operations did not end in time");
    }
    Ok(())
}

/// Whose the calls of clients with this token are. The token itself is not to be written down.
fn principal(token: Option<&str>) -> Arc<str> {
    let Some(token) = token else {
        return "local".into();
    };
    let digest = Sha256::digest(token);
    let letters: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("token {letters}").into()
}

/// Without a token, only this machine may be able to connect.
fn check_reach(address: SocketAddr, token: Option<&str>) -> Result<(), ServeError> {
    match token {
        None if !address.ip().is_loopback() => Err(ServeError::NeedsToken(address)),
        _ => Ok(()),
    }
}

/// Waits for the shutdown and brings it about; returns when there is nothing left to wait for.
async fn end(
    lifetime: &Lifetime,
    gate: &Gate,
    operations: &Operations,
    streams: &CancellationToken,
    shutdown: &CancellationToken,
) {
    shutdown.cancelled().await;
    lifetime.closing.cancel();
    if timeout(GRACE, gate.idle()).await.is_err() {
        // Operations first: they are told why, before the calls that wait for them are cancelled.
        let rest = async {
            lifetime.abort.cancel();
            gate.idle().await;
        };
        let _ = timeout(DEADLINE, async { tokio::join!(operations.drain(), rest) }).await;
    }
    sleep(FLUSH).await;
    streams.cancel();
    sleep(DEADLINE).await;
}

fn config(
    options: &HttpOptions,
    own: IpAddr,
    streams: &CancellationToken,
) -> StreamableHttpServerConfig {
    let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    if !own.is_unspecified() {
        hosts.push(own.to_string());
    }
    hosts.extend(options.hosts.iter().cloned());
    let local = ["localhost", "127.0.0.1", "[::1]"];
    let mut origins: Vec<_> = local
        .iter()
        .flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")])
        .collect();
    origins.extend(options.origins.iter().cloned());
    StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(options.max_body)
        .with_cancellation_token(streams.clone())
}

#[cfg(test)]
mod tests {
    use super::{check_reach, principal};

    #[test]
    fn a_token_tells_whose_a_call_is_and_is_not_written_down() {
        assert_eq!(&*principal(None), "local");
        let (one, other) = (principal(Some("secret")), principal(Some("other")));
        assert!(
            one.starts_with("token ") && !one.contains("secret") && one != other,
            "{one} {other}"
        );
    }

    #[test]
    fn refuses_other_machines_without_a_token() {
        for (address, is_local) in [
            ("127.0.0.1:1", true),
            ("[::1]:1", true),
            ("0.0.0.0:1", false),
            ("[::]:1", false),
            ("192.0.2.7:1", false),
        ] {
            let address = address.parse().expect("an address");
            assert_eq!(check_reach(address, None).is_ok(), is_local, "{address}");
            assert!(check_reach(address, Some("token")).is_ok(), "{address}");
        }
    }
}

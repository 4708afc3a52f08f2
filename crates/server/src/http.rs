//! Serves many clients over streamable HTTP at `/mcp` and `/mcp/NAME`, and a health check at `/healthz`.
//!
//! The protocol library implements the protocol. `gateway`, in front of it, checks tokens and limits
//! bodies and sessions.

mod connections;
mod gateway;
mod guarded_body;
mod hosts;
mod priming;
mod session_activity;
mod write_deadline;

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::local::LocalSessionManager,
};
use runtime::Operations;
use tokio::{
    net::TcpListener,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use self::gateway::Gateway;
use crate::{
    ServeError, Server, connection::Connection, request_limiter::RequestLimiter,
    shutdown::ShutdownSignals,
};

/// Time for calls to continue after the shutdown has begun.
const GRACE_PERIOD: Duration = Duration::from_secs(2);

/// Timeout for sending the responses of ended calls.
const FLUSH_TIME: Duration = Duration::from_millis(200);

/// Timeout for cancelled calls and open connections to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// Options of [`serve_http`].
pub struct HttpOptions {
    /// Accepts the connections.
    pub listener: TcpListener,
    /// Further servers, at `/mcp/NAME`. They share the token and the limits, except that each has
    /// sessions of its own.
    pub profiles: Vec<(String, Server)>,
    /// The bearer token that clients must send. Required unless the address is a loopback one.
    pub token: Option<String>,
    /// Whether only clients of a person know the token, so that their answers to forms are those of a
    /// person. False if tools could read it. Without a token, answers never count: every program of the
    /// machine can be a client, tools with network access too.
    pub speaks_for_person: bool,
    /// Accepted values of `Host`, in addition to loopback names and the listener's own address.
    pub hosts: Vec<String>,
    /// Accepted values of `Origin`, in addition to loopback ones, such as `https://app.example:443`.
    pub origins: Vec<String>,
    /// Concurrent sessions of legacy clients. Each costs about 50 KiB. The one that is unused for the
    /// longest time makes room for a new one.
    pub max_sessions: usize,
    /// Concurrent calls of all clients. Calls that control operations do not count.
    pub max_calls: usize,
    /// Concurrent connections. The one that is idle for the longest time makes room for a new one.
    pub max_connections: usize,
    /// Maximum length of a request body, in bytes.
    pub max_body: usize,
}

impl HttpOptions {
    /// The default options for a listener.
    pub fn new(listener: TcpListener) -> Self {
        Self {
            listener,
            profiles: Vec::new(),
            token: None,
            speaks_for_person: true,
            hosts: Vec::new(),
            origins: Vec::new(),
            max_sessions: 256,
            max_calls: 256,
            max_connections: 1_024,
            max_body: 4 << 20,
        }
    }
}

/// Serves clients over HTTP until `shutdown` is cancelled. Running calls then get a grace period.
pub async fn serve_http(
    server: Server,
    options: HttpOptions,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    let runtime = server.runtime.clone();
    let served = serve(server, options, shutdown).await;
    // Flushed here, because `serve` returns early on errors.
    runtime.flush_audit();
    served
}

async fn serve(
    server: Server,
    options: HttpOptions,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    let address = options.listener.local_addr()?;
    check_exposure(address, options.token.as_deref())?;
    runtime::refuse_own_port(address.port());
    let signals = ShutdownSignals::default();
    let limiter = Arc::new(RequestLimiter::new(options.max_calls));
    // Separate from `shutdown`: open streams still carry the responses of calls that end in the
    // grace period.
    let streams = CancellationToken::new();
    let owner = owner_of(options.token.as_deref(), |token| server.runtime.digest_secret(token));
    let speaks_for_person = options.token.is_some() && options.speaks_for_person;
    let hosts = accepted_hosts(&options, address.ip());
    let make_gateway = |server: Server| {
        let (served, owner) = (server.clone(), owner.clone());
        let (limiter, signals) = (limiter.clone(), signals.clone());
        let connect = move || {
            let (server, limiter) = (served.clone(), limiter.clone());
            let mut connection = Connection::new(server, owner.clone(), limiter, signals.clone());
            connection.speaks_for_person = speaks_for_person;
            Ok(connection)
        };
        let sessions = Arc::new(LocalSessionManager::default());
        let config = build_config(&options, hosts.clone(), &streams);
        let service = StreamableHttpService::new(connect, sessions.clone(), config);
        Gateway::new(service, sessions, server, &options, hosts.clone())
    };
    // Held until the end of this function: dropping them stops the notifications.
    let all = options.profiles.iter().map(|(_, server)| server).chain([&server]);
    let _watchers: Vec<_> = all.map(Server::start_watcher).collect();
    let operations = server.operations();
    let mut router = make_gateway(server).into_router();
    for (name, server) in &options.profiles {
        router = router.merge(make_gateway(server.clone()).into_profile_router(name));
    }
    let serving =
        connections::serve(options.listener, router, options.max_connections, shutdown.clone());
    tokio::select! {
        () = serving => {}
        () = shut_down(&signals, &limiter, &operations, &streams, &shutdown) => {
            tracing::warn!("some connections were not closed in time");
        }
    }
    if timeout(SHUTDOWN_TIMEOUT, operations.drain()).await.is_err() {
        tracing::warn!("some operations did not stop in time");
    }
    Ok(())
}

/// The owner of calls with this token. A digest, because the owner is stored and the token must not
/// be. Clients without a token share an owner, which is not that of stdio clients.
fn owner_of(token: Option<&str>, digest: impl FnOnce(&str) -> String) -> Arc<str> {
    let Some(token) = token else {
        return "http".into();
    };
    // 64 bits tell the tokens of one crib apart.
    format!("token {:.16}", digest(token)).into()
}

/// Rejects an address that other machines can reach if no token is set.
fn check_exposure(address: SocketAddr, token: Option<&str>) -> Result<(), ServeError> {
    match token {
        None if !address.ip().is_loopback() => Err(ServeError::NeedsToken(address)),
        _ => Ok(()),
    }
}

/// Waits for the shutdown and ends calls, operations and streams. Returns when the timeout has
/// passed.
async fn shut_down(
    signals: &ShutdownSignals,
    limiter: &RequestLimiter,
    operations: &Operations,
    streams: &CancellationToken,
    shutdown: &CancellationToken,
) {
    shutdown.cancelled().await;
    signals.closing.cancel();
    if timeout(GRACE_PERIOD, limiter.wait_idle()).await.is_err() {
        // Drain the operations first, so that they record the shutdown as the reason and not the
        // cancelled call that waits for them.
        let calls = async {
            signals.abort.cancel();
            limiter.wait_idle().await;
        };
        let _ = timeout(SHUTDOWN_TIMEOUT, async { tokio::join!(operations.drain(), calls) }).await;
    }
    // The library offers no way to wait until responses are written.
    sleep(FLUSH_TIME).await;
    streams.cancel();
    sleep(SHUTDOWN_TIMEOUT).await;
}

/// The accepted values of `Host`, without a port for any port.
fn accepted_hosts(options: &HttpOptions, own: IpAddr) -> Vec<String> {
    let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    // `0.0.0.0` is no address that a client could name in `Host`.
    if !own.is_unspecified() {
        hosts.push(own.to_string());
    }
    hosts.extend(options.hosts.iter().cloned());
    hosts
}

fn build_config(
    options: &HttpOptions,
    hosts: Vec<String>,
    streams: &CancellationToken,
) -> StreamableHttpServerConfig {
    let local = ["localhost", "127.0.0.1", "[::1]"];
    let mut origins: Vec<_> = local
        .iter()
        .flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")])
        .collect();
    origins.extend(options.origins.iter().cloned());
    // The library checks `Origin` only if configured to; the specification requires it (DNS rebinding).
    StreamableHttpServerConfig::default()
        // Most responses are a single message, which plain JSON carries with less latency than SSE.
        // The library falls back to SSE if a notification comes first.
        .with_json_response(true)
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(options.max_body)
        .with_cancellation_token(streams.clone())
}

#[cfg(test)]
mod tests {
    use super::{check_exposure, owner_of};

    #[test]
    fn owners_are_derived_from_tokens_without_revealing_them() {
        let digest = |token: &str| token.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(&*owner_of(None, digest), "http");
        assert_eq!(&*owner_of(Some("secret token"), digest), "token 7365637265742074");
    }

    #[test]
    fn rejects_exposed_addresses_without_a_token() {
        for (address, is_local) in [
            ("127.0.0.1:1", true),
            ("[::1]:1", true),
            ("0.0.0.0:1", false),
            ("[::]:1", false),
            ("192.0.2.7:1", false),
        ] {
            let address = address.parse().expect("an address");
            assert_eq!(check_exposure(address, None).is_ok(), is_local, "{address}");
            assert!(check_exposure(address, Some("token")).is_ok(), "{address}");
        }
    }
}

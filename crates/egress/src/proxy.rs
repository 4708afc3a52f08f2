//! The proxy of one program.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use catalog::HostPort;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{
    destinations::{ConnectError, Destinations},
    listeners::listen_addresses,
    relay::relay,
    request::Request,
};

/// Maximum number of concurrent connections of one program; others wait.
const MAX_CONNECTIONS: usize = 128;
/// Maximum length of the head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Timeout for a program to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// When a connection without traffic is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);
/// Maximum time for which a refused client may continue to send.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);
/// Pause after a connection could not be accepted, for lack of descriptors for example.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// Connects a program to the destinations of its list. Dropping it closes all connections.
pub struct EgressProxy {
    _listeners: JoinSet<()>,
}

/// The state that the connections of one program share.
struct Shared {
    destinations: Destinations,
    slots: Arc<Semaphore>,
}

impl EgressProxy {
    /// Serves the listeners, which are bound to [`listen_addresses`] in the network namespace of
    /// the program.
    pub fn start(list: &[HostPort], listeners: Vec<std::net::TcpListener>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            destinations: Destinations::new(list),
            slots: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
        });
        let proxy = listen_addresses(list).first().copied();
        let mut tasks = JoinSet::new();
        for listener in listeners {
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            let forward_to = (Some(address) != proxy).then_some(address);
            tasks.spawn(accept(TcpListener::from_std(listener)?, forward_to, Arc::clone(&shared)));
        }
        Ok(Self { _listeners: tasks })
    }
}

async fn accept(listener: TcpListener, forward_to: Option<SocketAddr>, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((client, _)) = listener.accept().await else {
            sleep(RETRY_DELAY).await;
            continue;
        };
        while connections.try_join_next().is_some() {}
        let Ok(slot) = Arc::clone(&shared.slots).acquire_owned().await else {
            return;
        };
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            let served = match forward_to {
                Some(address) => forward(client, address, &shared).await,
                None => serve(client, &shared).await,
            };
            if let Err(error) = served {
                tracing::debug!(%error, "a connection of a tool failed");
            }
            drop(slot);
        });
    }
}

/// Connects a client to the address that it believes to be connected to.
async fn forward(client: TcpStream, address: SocketAddr, shared: &Shared) -> io::Result<()> {
    let wanted = address.to_string().parse().map_err(io::Error::other)?;
    match shared.destinations.connect(wanted).await {
        Ok(server) => relay(client, server, IDLE_TIMEOUT).await,
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

/// Serves one request to the proxy.
async fn serve(mut client: TcpStream, shared: &Shared) -> io::Result<()> {
    let mut received = Vec::new();
    let head = timeout(HEAD_TIMEOUT, read_head(&mut client, &mut received)).await??;
    let Some(length) = head else {
        return refuse(client, "431 Request Header Fields Too Large", "the request is too long")
            .await;
    };
    let Request { destination, forward } = match Request::parse(&received[..length]) {
        Ok(request) => request,
        Err(problem) => return refuse(client, "400 Bad Request", problem).await,
    };
    let mut server = match shared.destinations.connect(destination).await {
        Ok(server) => server,
        Err(error) => {
            let status = match &error {
                ConnectError::Unreachable { .. } => "502 Bad Gateway",
                _ => "403 Forbidden",
            };
            tracing::info!(%error, "a connection of a tool was refused");
            return refuse(client, status, &error.to_string()).await;
        }
    };
    match forward {
        Some(head) => server.write_all(head.as_bytes()).await?,
        None => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?,
    }
    server.write_all(&received[length..]).await?;
    relay(client, server, IDLE_TIMEOUT).await
}

/// Reads until the head of a request is complete and returns its length; `None` if it is too long.
async fn read_head(client: &mut TcpStream, received: &mut Vec<u8>) -> io::Result<Option<usize>> {
    const END: &[u8] = b"\r\n\r\n";
    loop {
        if let Some(at) = received.windows(END.len()).position(|window| window == END) {
            return Ok(Some(at + END.len()));
        }
        if received.len() >= MAX_HEAD_BYTES {
            return Ok(None);
        }
        if client.read_buf(received).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

async fn refuse(mut client: TcpStream, status: &str, reason: &str) -> io::Result<()> {
    let body = format!("toolcrib: {reason}\n");
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
    client.write_all(response.as_bytes()).await?;
    client.shutdown().await?;
    // Closing a connection with unread data resets it, and the client would lose the response.
    let mut rest = client.take(MAX_HEAD_BYTES as u64);
    let _ = timeout(DRAIN_TIMEOUT, tokio::io::copy(&mut rest, &mut tokio::io::sink())).await;
    Ok(())
}

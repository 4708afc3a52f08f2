//! The background server of a crib: one process that many stdio servers join, so that operations outlive
//! their clients.
//!
//! It listens on a Unix socket in the private state folder. A connection begins with a handshake, one line
//! of JSON from each side: the request, and the answer. After `join`, the bytes of a stdio client follow.
//! Both sides must have the same version, because an older server would serve other tools and texts than
//! the program that the client started.

use std::{io, path::Path, time::Duration};

use rmcp::transport::stdio_pipes;
use runtime::operation::ServerId;
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixStream, unix::OwnedReadHalf, unix::OwnedWriteHalf},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    ServeError, Server,
    control::{self, BoundSocket},
    stdio::{Lifetime, serve_connection},
};

/// Timeout for the first line of either side.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum length of the first line, in bytes.
const MAX_HELLO: u64 = 4096;
/// Timeout for operations to end when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The request at the start of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Serve the client whose bytes follow.
    Join,
    /// Report the status.
    Status,
    /// Stop the server.
    Stop,
}

#[derive(Serialize, Deserialize)]
struct Hello {
    version: String,
    request: Request,
}

/// The answer of a background server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The version of its program.
    pub version: String,
    /// Its process id, in its own pid namespace.
    pub pid: u32,
    /// The number of joined clients.
    pub clients: usize,
}

/// A client of a background server, after `join`.
pub struct Joined {
    /// The status of the server that answered.
    pub status: Status,
    /// What the server sends.
    pub input: BufReader<OwnedReadHalf>,
    /// What the client sends.
    pub output: OwnedWriteHalf,
}

/// A bound socket of a background server.
pub struct BackgroundSocket(BoundSocket);

impl BackgroundSocket {
    /// Binds the socket. A stale one is replaced; one in use is an error.
    pub async fn bind(path: &Path) -> io::Result<Self> {
        control::bind(path).await.map(Self)
    }

    /// Serves clients until `shutdown` is cancelled or a `stop` is received, then cancels operations.
    pub async fn serve(
        self,
        server: Server,
        version: &str,
        shutdown: CancellationToken,
    ) -> Result<(), ServeError> {
        let clients = TaskTracker::new();
        // Held until this function returns, because dropping it stops the notifications.
        let _watcher = server.start_watcher();
        loop {
            let accepted = tokio::select! {
                accepted = self.0.listener.accept() => accepted,
                () = shutdown.cancelled() => break,
            };
            match accepted {
                Ok((stream, _)) if is_own(&stream) => {
                    let (server, shutdown) = (server.clone(), shutdown.clone());
                    let tracker = clients.clone();
                    let version = version.to_owned();
                    tokio::spawn(async move {
                        // A connection that breaks concerns no other client.
                        let _ = answer(stream, server, version, tracker, shutdown).await;
                    });
                }
                // Another user can connect only if someone has changed the permissions of the private
                // folder.
                Ok(_) => tracing::warn!("a connection of another user was rejected"),
                // Accepting fails if file descriptors run out: retry later.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
        clients.close();
        let _ = timeout(SHUTDOWN_TIMEOUT, clients.wait()).await;
        if timeout(SHUTDOWN_TIMEOUT, server.operations().drain()).await.is_err() {
            tracing::warn!("some operations did not stop in time");
        }
        server.runtime.flush_audit();
        Ok(())
    }
}

/// Whether the other side is a process of the same user.
fn is_own(stream: &UnixStream) -> bool {
    let own = rustix::process::getuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == own)
}

async fn answer(
    stream: UnixStream,
    server: Server,
    version: String,
    clients: TaskTracker,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let (input, mut output) = stream.into_split();
    let mut input = BufReader::new(input);
    let Some(hello) = read_line::<Hello>(&mut input).await? else { return Ok(()) };
    let status = Status { version, pid: ServerId::current().process.pid, clients: clients.len() };
    write_line(&mut output, &status).await?;
    match hello.request {
        Request::Status => Ok(()),
        Request::Stop => {
            shutdown.cancel();
            Ok(())
        }
        // The other side has read the status and does not join a server of another version.
        Request::Join if hello.version != status.version => Ok(()),
        Request::Join => {
            let served = serve_connection(server, input, output, shutdown, Lifetime::Background);
            let served = clients.track_future(served).await;
            served.map_err(|error| io::Error::other(error.to_string()))
        }
    }
}

/// Sends a request to the background server at `path`. `None` if it is not running; a stale socket is
/// removed.
pub async fn ask(path: &Path, version: &str, request: Request) -> io::Result<Option<Status>> {
    Ok(open(path, version, request).await?.map(|joined| joined.status))
}

/// Joins the background server at `path`. `None` if it is not running. The caller must compare the
/// versions: the server serves only clients of its own version.
pub async fn join(path: &Path, version: &str) -> io::Result<Option<Joined>> {
    open(path, version, Request::Join).await
}

async fn open(path: &Path, version: &str, request: Request) -> io::Result<Option<Joined>> {
    let stream = match control::connect(path).await {
        Ok(stream) => stream,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
            ) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let (input, mut output) = stream.into_split();
    let mut input = BufReader::new(input);
    write_line(&mut output, &Hello { version: version.to_owned(), request }).await?;
    let status = read_line::<Status>(&mut input).await?;
    let status = status.ok_or_else(|| io::Error::other("it gave no answer that can be read"))?;
    Ok(Some(Joined { status, input, output }))
}

async fn write_line(output: &mut OwnedWriteHalf, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    output.write_all(&line).await
}

/// Reads a line of JSON; `None` if it is malformed.
async fn read_line<T: for<'a> Deserialize<'a>>(
    input: &mut BufReader<OwnedReadHalf>,
) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    // The length is bounded. Bytes after the line stay in the buffer of `input`.
    let mut bounded = input.take(MAX_HELLO);
    let read = timeout(HELLO_TIMEOUT, bounded.read_until(b'\n', &mut line)).await;
    read.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    Ok(serde_json::from_slice(&line).ok())
}

impl Joined {
    /// Forwards the bytes of a stdio client in both directions. After EOF from the client, continues until
    /// the server has answered everything.
    pub async fn proxy(mut self) -> io::Result<()> {
        let (mut client_input, mut client_output) = stdio_pipes();
        let sending = async {
            let sent = tokio::io::copy(&mut client_input, &mut self.output).await;
            self.output.shutdown().await.and(sent)
        };
        let receiving = async {
            let mut chunk = vec![0; 64 << 10];
            loop {
                let read = self.input.read(&mut chunk).await?;
                if read == 0 {
                    return io::Result::Ok(());
                }
                client_output.write_all(&chunk[..read]).await?;
                // The client may be waiting for this message, and more output may not come for a long
                // time.
                client_output.flush().await?;
            }
        };
        tokio::pin!(sending, receiving);
        // When the server is gone, nothing is left to forward, but the client may keep its stdin
        // open.
        tokio::select! {
            received = &mut receiving => received,
            _ = &mut sending => receiving.await,
        }
    }
}

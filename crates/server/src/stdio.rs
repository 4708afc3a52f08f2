//! Serves one client on a pair of pipes.

use std::{sync::Arc, time::Duration};

use rmcp::{service::ServerInitializeError, service::serve_server_with_ct, transport::stdio_pipes};
use runtime::Operations;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::mpsc,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    ServeError, Server,
    connection::Connection,
    request_limiter::RequestLimiter,
    shutdown::ShutdownSignals,
    snapshot::ServedTool,
    transport::{PipeTransport, SideConnectionOptions},
};

/// Concurrent calls of the client; few have more.
const MAX_CALLS: usize = 256;

/// Time for calls to continue after EOF, so that those about to finish still get a response.
const GRACE_PERIOD: Duration = Duration::from_millis(250);

/// Timeout for cancelled calls and operations to end before the server exits anyway. Clients kill a
/// server that does not exit soon after EOF.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(4);

/// Serves the client on stdin and stdout until EOF.
pub async fn serve_stdio(server: Server) -> Result<(), ServeError> {
    serve_stdio_until(server, CancellationToken::new()).await
}

/// Serves the client on stdin and stdout until EOF or `shutdown` is cancelled.
pub async fn serve_stdio_until(
    server: Server,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    let (input, output) = stdio_pipes();
    serve_pipes(server, input, output, shutdown).await
}

/// Serves the client on any pair of pipes until EOF or `shutdown` is cancelled, then cancels running
/// calls and operations.
pub async fn serve_pipes<R, W>(
    server: Server,
    input: R,
    output: W,
    shutdown: CancellationToken,
) -> Result<(), ServeError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    serve_connection(server, input, output, shutdown, Lifetime::Client).await
}

/// The lifetime of operations that a client starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// Operations end with the client, because the server does.
    Client,
    /// Operations end with the server, which has other clients.
    Background,
}

/// Serves one client. With [`Lifetime::Client`], operations are cancelled at the end.
pub(crate) async fn serve_connection<R, W>(
    server: Server,
    input: R,
    output: W,
    shutdown: CancellationToken,
    lifetime: Lifetime,
) -> Result<(), ServeError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let runtime = server.runtime.clone();
    let served = serve(server, input, output, shutdown, lifetime).await;
    // Flushed here, because `serve` returns early on errors.
    runtime.flush_audit();
    served
}

async fn serve<R, W>(
    server: Server,
    input: R,
    output: W,
    shutdown: CancellationToken,
    lifetime: Lifetime,
) -> Result<(), ServeError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let signals = ShutdownSignals::default();
    let _watcher = server.start_watcher();
    let operations = server.operations();
    let mut connection = Connection::new(
        server.clone(),
        server.owner.clone(),
        Arc::new(RequestLimiter::new(MAX_CALLS)),
        signals.clone(),
    );
    connection.ends_operations = lifetime == Lifetime::Client;
    let session = connection.session.clone();
    // The receiver returns when the last sender is dropped: a way to wait for a task without its
    // handle.
    let (alive, mut side_closed) = mpsc::channel(1);
    let side_connection = side_connection(server.clone(), &connection, &shutdown, alive);
    let transport = PipeTransport::new(input, output, signals.closing.clone())
        .with_side_connection(side_connection)
        .with_ordered_calls(move |name| {
            server.snapshot().find(name).is_some_and(ServedTool::writes_flags)
        });
    let serving = async {
        let served = match serve_server_with_ct(connection, transport, shutdown.child_token()).await
        {
            Ok(service) => {
                let _ = service.waiting().await;
                Ok(())
            }
            // A client that connects and leaves without a request is no error.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                Ok(())
            }
            Err(error) => Err(ServeError::Protocol(error.to_string())),
        };
        // Nothing is sent on this channel; it closes with the side connection.
        side_closed.recv().await;
        served
    };
    tokio::select! {
        served = serving => served?,
        () = shut_down(&signals, &operations, &shutdown, lifetime) => {
            tracing::warn!("some calls did not stop when they were cancelled");
        }
    }
    if lifetime == Lifetime::Client && timeout(SHUTDOWN_TIMEOUT, operations.drain()).await.is_err()
    {
        tracing::warn!("some operations did not stop in time");
    }
    // No other connection can use the session of a stdio client.
    let _ = timeout(SHUTDOWN_TIMEOUT, session.end()).await;
    Ok(())
}

/// The connection for camel-case requests. It shares owner, session and limits with the client's
/// own.
fn side_connection(
    server: Server,
    main: &Connection,
    shutdown: &CancellationToken,
    alive: mpsc::Sender<()>,
) -> SideConnectionOptions {
    let mut connection = Connection::new(
        server.clone(),
        main.owner.clone(),
        Arc::clone(&main.limiter),
        main.shutdown.clone(),
    );
    // R and Python state is shared by both spellings of a method.
    connection.session = main.session.clone();
    connection.ends_operations = main.ends_operations;
    SideConnectionOptions {
        server,
        connect: Box::new(move || connection),
        shutdown: shutdown.child_token(),
        alive,
    }
}

/// Waits for EOF or a shutdown and cancels what is running. Returns when the timeout has passed.
async fn shut_down(
    signals: &ShutdownSignals,
    operations: &Operations,
    shutdown: &CancellationToken,
    lifetime: Lifetime,
) {
    tokio::select! {
        () = signals.closing.cancelled() => sleep(GRACE_PERIOD).await,
        () = shutdown.cancelled() => signals.closing.cancel(),
    }
    // Drain the operations first, so that they record the shutdown as the reason and not the
    // cancelled call that waits for them.
    let abort = async {
        signals.abort.cancel();
        sleep(SHUTDOWN_TIMEOUT).await;
    };
    if lifetime == Lifetime::Background {
        return abort.await;
    }
    tokio::select! {
        biased;
        // Never completes by itself, so that the timeout of `abort` decides when to give up.
        () = async { operations.drain().await; std::future::pending().await } => {}
        () = abort => {}
    }
}

//! One client on a pair of pipes.

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
    gate::Gate,
    guard::{Beside, Guard},
    lifetime::Lifetime,
};

/// The most calls at once; one client rarely has more.
const MOST_CALLS: usize = 256;

/// How long calls may go on after the input has ended: enough for those that are nearly done.
const GRACE: Duration = Duration::from_millis(250);

/// How long cancelled calls may take to end before they are left behind.
const DEADLINE: Duration = Duration::from_secs(4);

/// Serves the client on standard input and output until its input ends.
pub async fn serve_stdio(server: Server) -> Result<(), ServeError> {
    serve_stdio_until(server, CancellationToken::new()).await
}

/// Serves the client on standard input and output until its input ends or `shutdown` is cancelled.
pub async fn serve_stdio_until(
    server: Server,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    let (input, output) = stdio_pipes();
    serve_pipes(server, input, output, shutdown).await
}

/// Serves the client on any pair of pipes, until its input ends or `shutdown` is cancelled.
/// Calls and operations that run then are cancelled.
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
    let runtime = server.runtime.clone();
    let served = serve(server, input, output, shutdown).await;
    runtime.flush_audit();
    served
}

async fn serve<R, W>(
    server: Server,
    input: R,
    output: W,
    shutdown: CancellationToken,
) -> Result<(), ServeError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let lifetime = Lifetime::default();
    let _watch = server.watch();
    let operations = server.operations();
    let connection = Connection::new(
        server.clone(),
        server.owner.clone(),
        Arc::new(Gate::new(MOST_CALLS)),
        lifetime.clone(),
    );
    let session = connection.session.clone();
    let (alive, mut beside) = mpsc::channel(1);
    let guard = Guard::new(input, output, lifetime.closing.clone()).with(aside(
        server,
        &connection,
        &shutdown,
        alive,
    ));
    let serving = async {
        let served = match serve_server_with_ct(connection, guard, shutdown.child_token()).await {
            Ok(service) => {
                let _ = service.waiting().await;
                Ok(())
            }
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                Ok(())
            }
            Err(error) => Err(ServeError::Protocol(error.to_string())),
        };
        // Nothing is ever sent: this is the end of what was answered aside.
        beside.recv().await;
        served
    };
    tokio::select! {
        served = serving => served?,
        () = end(&lifetime, &operations, &shutdown) => tracing::warn!("some calls did not end when they were cancelled"),
    }
    if timeout(DEADLINE, operations.drain()).await.is_err() {
        tracing::warn!("some operations did not end in time");
    }
    // Nobody comes back to it.
    let _ = timeout(DEADLINE, session.end()).await;
    Ok(())
}

/// What answers requests in the dialect: a connection like the client's own, with the same state.
fn aside(
    server: Server,
    own: &Connection,
    shutdown: &CancellationToken,
    alive: mpsc::Sender<()>,
) -> Beside {
    let mut connection = Connection::new(
        server.clone(),
        own.owner.clone(),
        Arc::clone(&own.gate),
        own.lifetime.clone(),
    );
    connection.session = own.session.clone();
    Beside {
        server,
        connect: Box::new(move || connection),
        shutdown: shutdown.child_token(),
        alive,
    }
}

/// Waits for the end and brings it about; returns when there is nothing left to wait for.
async fn end(lifetime: &Lifetime, operations: &Operations, shutdown: &CancellationToken) {
    tokio::select! {
        () = lifetime.closing.cancelled() => sleep(GRACE).await,
        () = shutdown.cancelled() => lifetime.closing.cancel(),
    }
    // Operations first: they are told why, before the calls that wait for them are cancelled.
    let abort = async {
        lifetime.abort.cancel();
        sleep(DEADLINE).await;
    };
    tokio::select! {
        biased;
        () = async { operations.drain().await; std::future::pending().await } => {}
        () = abort => {}
    }
}

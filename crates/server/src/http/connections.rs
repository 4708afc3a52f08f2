//! Accepts connections. Limits how many there are, and closes those that make no progress.

use std::{
    collections::HashMap,
    convert::Infallible,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{Router, body::Body, response::Response};
use hyper::{
    Request,
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use parking_lot::Mutex;
use rustix::process::{Resource, getrlimit};
use tokio::{
    net::{TcpListener, TcpStream},
    time::sleep,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{guarded_body::GuardedBody, write_deadline::WriteDeadline};
use crate::response_sent::{ResponseSent, SentOnDrop};

/// Timeout for a client to send the head of a request; also the idle timeout of a connection. Clients
/// close idle connections themselves after a few seconds.
const HEAD_TIME: Duration = Duration::from_secs(60);

/// The timeout for the head of a request on a connection beyond the limit.
const OVERFLOW_HEAD_TIME: Duration = Duration::from_secs(2);

/// The connections beyond the limit, as a part of it. They are for health checks and the like while
/// all others are busy, and end after one request.
const OVERFLOW_PART: usize = 16;

/// The part of the open files of this process that connections may take. Calls need the others.
const OPEN_FILES_PART: usize = 2;

/// Serves connections until `shutdown` is cancelled, then waits for those with a request.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    max_connections: usize,
    shutdown: CancellationToken,
) {
    let open = Arc::new(OpenConnections::new(max_connections));
    let tasks = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shutdown.cancelled() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                // Dropped, and thereby closed, if there is no room.
                if let Some(connection) = open.add() {
                    tasks.spawn(connection.serve(stream, router.clone(), shutdown.clone()));
                }
            }
            // Probably out of file descriptors: one is closed soon.
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                open.close_longest_idle();
                sleep(Duration::from_millis(10)).await;
            }
        }
    }
    // From now on clients are refused, instead of waiting for a server that exits.
    drop(listener);
    tasks.close();
    tasks.wait().await;
}

/// The open connections.
struct OpenConnections {
    max: usize,
    next_id: AtomicU64,
    all: Mutex<HashMap<u64, Arc<ConnectionState>>>,
}

/// Whether a connection is in use.
struct ConnectionState {
    /// Requests that were received completely, and whose response was not sent completely.
    requests: AtomicUsize,
    idle_since: Mutex<Instant>,
    /// Closes it.
    evicted: CancellationToken,
}

impl OpenConnections {
    fn new(max: usize) -> Self {
        Self { max, next_id: AtomicU64::new(0), all: Mutex::default() }
    }

    /// Adds a connection. If there are too many, the one that is idle for the longest time is closed;
    /// a client that opens connections and sends nothing only closes its own.
    fn add(self: &Arc<Self>) -> Option<OpenConnection> {
        let state = Arc::new(ConnectionState {
            requests: AtomicUsize::new(0),
            idle_since: Mutex::new(Instant::now()),
            evicted: CancellationToken::new(),
        });
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let max = self.max.min(open_file_limit() / OPEN_FILES_PART).max(1);
        let mut all = self.all.lock();
        let is_overflow = all.len() >= max && !close_longest_idle(&mut all);
        if is_overflow && all.len() >= max + max.div_ceil(OVERFLOW_PART) {
            return None;
        }
        all.insert(id, Arc::clone(&state));
        Some(OpenConnection { open: Arc::clone(self), id, state, is_overflow })
    }

    fn close_longest_idle(&self) {
        close_longest_idle(&mut self.all.lock());
    }
}

/// Closes the connection that is idle for the longest time; returns false if none is idle.
fn close_longest_idle(all: &mut HashMap<u64, Arc<ConnectionState>>) -> bool {
    let idle = all.iter().filter(|(_, other)| !other.is_busy());
    let oldest = idle.min_by_key(|(_, other)| *other.idle_since.lock()).map(|(id, _)| *id);
    let oldest = oldest.and_then(|id| all.remove(&id));
    oldest.is_some_and(|old| {
        old.evicted.cancel();
        true
    })
}

/// How many files this process may have open now.
fn open_file_limit() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX)
}

/// One open connection, which is removed on drop.
struct OpenConnection {
    open: Arc<OpenConnections>,
    id: u64,
    state: Arc<ConnectionState>,
    is_overflow: bool,
}

impl OpenConnection {
    async fn serve(self, stream: TcpStream, router: Router, shutdown: CancellationToken) {
        // With Nagle's algorithm, small SSE events wait for the ACK of the one before: the p99
        // latency of a call was 44 ms instead of 0.4 ms.
        let _ = stream.set_nodelay(true);
        let state = Arc::clone(&self.state);
        let router = TowerToHyperService::new(router);
        let service = service_fn(move |mut request: Request<Incoming>| {
            let active = ActiveRequest::new(&state);
            let (sender, sent) = ResponseSent::channel();
            request.extensions_mut().insert(sent);
            let receiving = ReceivedBody::new(&state);
            let guard = |body| Body::new(GuardedBody::new(Body::new(body), receiving));
            let response = router.call(request.map(guard));
            async move {
                let response: Response = response.await?;
                let guard = (active, SentOnDrop(Some(sender)));
                Ok::<_, Infallible>(response.map(|body| Body::new(GuardedBody::new(body, guard))))
            }
        });
        let head_time = if self.is_overflow { OVERFLOW_HEAD_TIME } else { HEAD_TIME };
        let mut connection = pin!(
            http1::Builder::new()
                // Without a timer, hyper panics when it applies the timeout.
                .timer(TokioTimer::new())
                .header_read_timeout(head_time)
                .keep_alive(!self.is_overflow)
                .serve_connection(TokioIo::new(WriteDeadline::new(stream)), service)
        );
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.state.evicted.cancelled() => return,
            () = shutdown.cancelled() => {
                if !self.state.is_busy() {
                    return;
                }
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended");
        }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.open.all.lock().remove(&self.id);
    }
}

impl ConnectionState {
    fn is_busy(&self) -> bool {
        self.requests.load(Ordering::Relaxed) > 0
    }
}

/// Keeps a connection busy until the response to a request is sent.
struct ActiveRequest(Arc<ConnectionState>);

impl ActiveRequest {
    fn new(state: &Arc<ConnectionState>) -> Self {
        state.requests.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(state))
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        // Set before the count becomes zero, because others compare the time from then on.
        *self.0.idle_since.lock() = Instant::now();
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Keeps a connection with a request idle until the body of the request is there: a client that sends no
/// body must not keep a connection that others need.
struct ReceivedBody(Arc<ConnectionState>);

impl ReceivedBody {
    fn new(state: &Arc<ConnectionState>) -> Self {
        *state.idle_since.lock() = Instant::now();
        state.requests.fetch_sub(1, Ordering::Relaxed);
        Self(Arc::clone(state))
    }
}

impl Drop for ReceivedBody {
    fn drop(&mut self) {
        self.0.requests.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{ActiveRequest, OpenConnections};

    #[test]
    fn closes_the_longest_idle_connection() {
        let open = Arc::new(OpenConnections::new(2));
        let (busy, idle) = (open.add().expect("room"), open.add().expect("room"));
        let request = ActiveRequest::new(&busy.state);
        let third = open.add().expect("the idle one is closed");
        assert!(idle.state.evicted.is_cancelled() && !busy.state.evicted.is_cancelled());
        let other = ActiveRequest::new(&third.state);
        let overflow = open.add().expect("one more while all are busy");
        assert!(overflow.is_overflow);
        let _busy_too = ActiveRequest::new(&overflow.state);
        assert!(open.add().is_none());
        drop((request, other));
        assert!(open.add().is_some_and(|connection| !connection.is_overflow));
        assert!(busy.state.evicted.is_cancelled());
    }
}

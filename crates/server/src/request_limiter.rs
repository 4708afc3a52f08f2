//! Limits how many requests run concurrently.
//!
//! Requests beyond the limit wait, and clients take turns. When the queue is full, or a request has
//! waited too long, it is rejected instead of left hanging. The protocol library has no such limit.
//! Requests that control others are only counted: they must work while everything else waits.

use std::{sync::Arc, time::Duration};

use catalog::{ErrorType, Failure};
use parking_lot::Mutex;
use runtime::{FairQueue, QueueKey};
use tokio::{
    sync::{Notify, oneshot},
    time::timeout,
};

/// Queue length for each request that may run.
const QUEUED_PER_SLOT: usize = 16;

/// Maximum wait of a request. Most clients give up after a minute, too.
const QUEUE_TIME: Duration = Duration::from_secs(60);

/// Concurrent requests that control others. Only those that wait for operations add up.
const MAX_CONTROLS: usize = 4_096;

/// Limits how many requests run concurrently, and how many wait.
#[derive(Debug)]
pub(crate) struct RequestLimiter {
    slots: usize,
    queue_time: Duration,
    state: Mutex<State>,
    idle: Notify,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    controls: usize,
    waiting: FairQueue<oneshot::Sender<RequestPermit>>,
}

/// The right to run, which dropping returns.
#[derive(Debug)]
pub(crate) struct RequestPermit {
    limiter: Arc<RequestLimiter>,
    is_control: bool,
}

impl RequestLimiter {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            slots: slots.max(1),
            queue_time: QUEUE_TIME,
            state: Mutex::default(),
            idle: Notify::new(),
        }
    }

    /// Waits for a free slot. Fails if the queue is full, or takes too long.
    pub(crate) async fn acquire(
        self: &Arc<Self>,
        key: impl FnOnce() -> QueueKey,
    ) -> Result<RequestPermit, Failure> {
        let queued = {
            let mut state = self.state.lock();
            if state.running < self.slots {
                state.running += 1;
                return Ok(self.permit(false));
            }
            if state.waiting.len() >= self.slots * QUEUED_PER_SLOT {
                return Err(self.busy("the queue is full"));
            }
            let (grant, granted) = oneshot::channel();
            QueuedRequest { limiter: self, ticket: state.waiting.push(key(), grant), granted }
        };
        match timeout(self.queue_time, queued.granted()).await {
            Ok(Some(permit)) => Ok(permit),
            Ok(None) | Err(_) => Err(self.busy("no slot became free in time")),
        }
    }

    /// Counts a request that controls others, which never waits.
    pub(crate) fn acquire_control(self: &Arc<Self>) -> Result<RequestPermit, Failure> {
        let mut state = self.state.lock();
        if state.controls >= MAX_CONTROLS {
            return Err(self.busy("too many requests wait for operations"));
        }
        state.controls += 1;
        Ok(self.permit(true))
    }

    /// Waits until no request runs.
    pub(crate) async fn wait_idle(&self) {
        loop {
            // Registered before the check, so that a request that ends in between is noticed.
            let mut notified = std::pin::pin!(self.idle.notified());
            notified.as_mut().enable();
            {
                let state = self.state.lock();
                if state.running + state.controls == 0 {
                    return;
                }
            }
            notified.await;
        }
    }

    fn permit(self: &Arc<Self>, is_control: bool) -> RequestPermit {
        RequestPermit { limiter: Arc::clone(self), is_control }
    }

    fn busy(&self, reason: &str) -> Failure {
        let message = format!(
            "the server is busy: {} calls are running and {reason}; try again when some have ended",
            self.slots
        );
        Failure::new(ErrorType::TooManyCalls, message)
    }
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        let mut state = self.limiter.state.lock();
        if self.is_control {
            state.controls -= 1;
        } else if let Some(next) = state.waiting.take(0) {
            // The slot goes to the next request. If that has given up, the unsent permit is dropped
            // and so goes to the one after it, for which the lock must be free.
            drop(state);
            let _ = next.send(self.limiter.permit(false));
            return;
        } else {
            state.running -= 1;
        }
        if state.running + state.controls == 0 {
            self.limiter.idle.notify_waiters();
        }
    }
}

/// An entry in the queue, removed on drop: also when the waiting request is cancelled.
struct QueuedRequest<'a> {
    limiter: &'a RequestLimiter,
    ticket: u64,
    granted: oneshot::Receiver<RequestPermit>,
}

impl QueuedRequest<'_> {
    async fn granted(mut self) -> Option<RequestPermit> {
        (&mut self.granted).await.ok()
    }
}

impl Drop for QueuedRequest<'_> {
    fn drop(&mut self) {
        // A permit that was sent meanwhile is dropped with the receiver, which returns its slot.
        drop(self.limiter.state.lock().waiting.remove(self.ticket));
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use catalog::ErrorType;
    use futures_util::FutureExt;
    use runtime::QueueKey;

    use super::{QUEUED_PER_SLOT, RequestLimiter};

    fn key(caller: &str) -> impl FnOnce() -> QueueKey {
        move || QueueKey { caller: caller.into(), tool: "t".into() }
    }

    #[tokio::test]
    async fn admits_up_to_the_limit_and_rejects_when_the_queue_is_full() {
        let limiter = Arc::new(RequestLimiter::new(1));
        let running = limiter.acquire(key("a")).await.expect("a free slot");
        let mut waiting: Vec<_> =
            (0..QUEUED_PER_SLOT).map(|_| Box::pin(limiter.acquire(key("a")))).collect();
        for request in &mut waiting {
            assert!(request.as_mut().now_or_never().is_none(), "must wait");
        }
        assert_eq!(
            limiter.acquire(key("b")).await.expect_err("the queue is full").error_type,
            ErrorType::TooManyCalls
        );
        drop(limiter.acquire_control().expect("control requests do not wait"));
        drop(waiting);
        drop(running);
        drop(limiter.acquire(key("a")).await.expect("no queue entry leaked"));
        limiter.wait_idle().await;
    }

    #[tokio::test]
    async fn gives_a_free_slot_to_the_client_that_waits_for_its_first() {
        let limiter = Arc::new(RequestLimiter::new(1));
        let running = limiter.acquire(key("a")).await.expect("a free slot");
        let mut waiting: Vec<_> = (0..2).map(|_| Box::pin(limiter.acquire(key("a")))).collect();
        for request in &mut waiting {
            assert!(request.as_mut().now_or_never().is_none());
        }
        let mut other = Box::pin(limiter.acquire(key("b")));
        assert!(other.as_mut().now_or_never().is_none());
        drop(running);
        drop(waiting[0].as_mut().now_or_never().expect("its turn").expect("a permit"));
        assert!(waiting[1].as_mut().now_or_never().is_none());
        assert!(other.as_mut().now_or_never().is_some());
    }

    #[tokio::test]
    async fn rejects_a_request_that_waited_too_long() {
        let queue_time = Duration::from_millis(10);
        let limiter = Arc::new(RequestLimiter { queue_time, ..RequestLimiter::new(1) });
        let _running = limiter.acquire(key("a")).await.expect("a free slot");
        let rejected = limiter.acquire(key("b")).await.expect_err("busy");
        assert_eq!(rejected.error_type, ErrorType::TooManyCalls);
    }
}

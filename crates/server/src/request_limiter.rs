//! Limits how many requests run concurrently.
//!
//! Requests beyond the limit wait in order of arrival. When the queue is full too, a request is
//! rejected at once instead of left hanging. The protocol library has no such limit.

use std::sync::atomic::{AtomicUsize, Ordering};

use catalog::{ErrorType, Failure};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Queue length for each request that may run.
const QUEUED_PER_SLOT: usize = 16;

/// Limits how many requests run concurrently, and how many wait.
#[derive(Debug)]
pub(crate) struct RequestLimiter {
    permits: Semaphore,
    slots: u32,
    queued: AtomicUsize,
}

impl RequestLimiter {
    pub(crate) fn new(slots: usize) -> Self {
        let slots = u32::try_from(slots.clamp(1, Semaphore::MAX_PERMITS)).unwrap_or(u32::MAX);
        Self { permits: Semaphore::new(slots as usize), slots, queued: AtomicUsize::new(0) }
    }

    /// Waits for a free slot. Fails if the queue is full.
    pub(crate) async fn acquire(&self) -> Result<SemaphorePermit<'_>, Failure> {
        // The usual case, without counting the queue.
        if let Ok(permit) = self.permits.try_acquire() {
            return Ok(permit);
        }
        let _queued = self.enqueue()?;
        self.permits.acquire().await.map_err(|_| self.queue_full())
    }

    /// Waits until no request runs.
    pub(crate) async fn wait_idle(&self) {
        // All permits are free only when no request holds one.
        let _ = self.permits.acquire_many(self.slots).await;
    }

    fn enqueue(&self) -> Result<QueueEntry<'_>, Failure> {
        // Created before the check, so that a rejected request is counted out again on drop.
        let entry = QueueEntry(&self.queued);
        let ahead = self.queued.fetch_add(1, Ordering::Relaxed);
        if ahead >= self.slots as usize * QUEUED_PER_SLOT {
            return Err(self.queue_full());
        }
        Ok(entry)
    }

    fn queue_full(&self) -> Failure {
        let message = format!(
            "{} calls are running and the queue is full; try again when some have ended",
            self.slots
        );
        Failure::new(ErrorType::TooManyCalls, message)
    }
}

/// An entry in the queue, removed on drop: also when the waiting request is cancelled.
struct QueueEntry<'a>(&'a AtomicUsize);

impl Drop for QueueEntry<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use catalog::ErrorType;

    use super::{QUEUED_PER_SLOT, RequestLimiter};

    #[tokio::test]
    async fn admits_up_to_the_limit_and_rejects_when_the_queue_is_full() {
        let limiter = RequestLimiter::new(1);
        let running = limiter.acquire().await.expect("a free slot");
        let mut waiting: Vec<_> =
            (0..QUEUED_PER_SLOT).map(|_| Box::pin(limiter.acquire())).collect();
        for request in &mut waiting {
            assert!(request.as_mut().now_or_never().is_none(), "must wait");
        }
        assert_eq!(
            limiter.acquire().await.expect_err("the queue is full").error_type,
            ErrorType::TooManyCalls
        );
        drop(waiting);
        drop(running);
        drop(limiter.acquire().await.expect("no queue entry leaked"));
        limiter.wait_idle().await;
    }
}

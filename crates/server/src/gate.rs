//! How many calls run at once. Others wait their turn, in order; when too many wait already, a
//! call is refused at once rather than left hanging.

use std::sync::atomic::{AtomicUsize, Ordering};

use catalog::{ErrorType, Failure};
use tokio::sync::{Semaphore, SemaphorePermit};

/// How many calls run at once, and how many may wait.
#[derive(Debug)]
pub(crate) struct Gate {
    permits: Semaphore,
    size: u32,
    waiting: AtomicUsize,
}

/// How many may wait for each that runs.
const WAITING_PER_CALL: usize = 16;

impl Gate {
    /// A gate for `size` calls at once.
    pub(crate) fn new(size: usize) -> Self {
        let size = u32::try_from(size.clamp(1, Semaphore::MAX_PERMITS)).unwrap_or(u32::MAX);
        Self { permits: Semaphore::new(size as usize), size, waiting: AtomicUsize::new(0) }
    }

    /// Waits for a turn.
    pub(crate) async fn enter(&self) -> Result<SemaphorePermit<'_>, Failure> {
        if let Ok(permit) = self.permits.try_acquire() {
            return Ok(permit);
        }
        let _place = self.queue()?;
        self.permits.acquire().await.map_err(|_| self.full())
    }

    /// Waits until nothing runs any more.
    pub(crate) async fn idle(&self) {
        let _ = self.permits.acquire_many(self.size).await;
    }

    fn queue(&self) -> Result<Place<'_>, Failure> {
        let place = Place(&self.waiting);
        match self.waiting.fetch_add(1, Ordering::Relaxed) {
            before if before >= self.size as usize * WAITING_PER_CALL => Err(self.full()),
            _ => Ok(place),
        }
    }

    fn full(&self) -> Failure {
        let message =
            format!("{} calls run and many more wait; try again when some have ended", self.size);
        Failure::new(ErrorType::TooManyCalls, message)
    }
}

/// A place in the queue, given up when the wait ends in whatever way.
struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use catalog::ErrorType;

    use super::{Gate, WAITING_PER_CALL};

    #[tokio::test]
    async fn lets_in_as_many_as_it_has_room_for_and_refuses_when_the_queue_is_full() {
        let gate = Gate::new(1);
        let inside = gate.enter().await.expect("room for one");
        let mut waiting: Vec<_> = (0..WAITING_PER_CALL).map(|_| Box::pin(gate.enter())).collect();
        for turn in &mut waiting {
            assert!(turn.as_mut().now_or_never().is_none(), "must wait");
        }
        assert_eq!(
            gate.enter().await.expect_err("the queue is full").error_type,
            ErrorType::TooManyCalls
        );
        drop(waiting);
        drop(inside);
        drop(gate.enter().await.expect("room again, and no place is lost"));
        gate.idle().await;
    }
}

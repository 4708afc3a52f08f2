//! A fair scheduler that limits which calls run concurrently.
//!
//! At most a fixed number of calls run at the same time. An exclusive call runs alone among those
//! that change something; a read-only call runs beside any other; a service needs no permit. Callers
//! take turns, and the calls of one caller to one tool start in the order in which they came, except
//! that a read-only call need not wait behind an exclusive one.

use std::sync::Arc;

use catalog::{Concurrency, Tool};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use crate::fair_queue::{FairQueue, QueueKey};

/// Which calls may run at the same time as this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConcurrencyClass {
    /// Only read-only calls.
    Exclusive,
    /// Any call that is not exclusive.
    Mutating,
    /// Any call.
    Reading,
    /// Any call, and it does not count towards the limit.
    Free,
}

impl ConcurrencyClass {
    /// The class of a tool.
    pub(crate) fn of(tool: &Tool) -> Self {
        match tool.concurrency {
            Some(Concurrency::Exclusive) => Self::Exclusive,
            Some(Concurrency::ReadOnly) => Self::Reading,
            Some(Concurrency::Service) => Self::Free,
            None if tool.annotations.is_read_only() => Self::Reading,
            None => Self::Mutating,
        }
    }

    fn excludes(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::Exclusive, Self::Exclusive | Self::Mutating) | (Self::Mutating, Self::Exclusive)
        )
    }
}

/// The running calls and the queue.
pub(crate) struct Scheduler {
    limit: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: usize,
    exclusive: usize,
    mutating: usize,
    reading: usize,
    waiting: FairQueue<Waiting>,
}

struct Waiting {
    class: ConcurrencyClass,
    grant: oneshot::Sender<Permit>,
}

/// The right to run, which dropping returns.
pub(crate) struct Permit {
    scheduler: Arc<Scheduler>,
    class: ConcurrencyClass,
}

impl Scheduler {
    /// At most `limit` calls run at the same time.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit: limit.max(1), state: Mutex::default() }
    }

    /// Waits for a permit; `None` if the class needs none. If the call has to queue, `on_queued` gets
    /// the ticket for [`Scheduler::queue_position`].
    pub(crate) async fn acquire(
        self: &Arc<Self>,
        class: ConcurrencyClass,
        key: impl FnOnce() -> QueueKey,
        on_queued: impl FnOnce(u64),
    ) -> Option<Permit> {
        if class == ConcurrencyClass::Free {
            return None;
        }
        let waiting = {
            let mut state = self.state();
            // Started at once only if nothing waits, because a new call must not overtake older
            // ones.
            if state.waiting.is_empty() && state.has_room(self.limit, class) {
                state.start(class);
                return Some(self.permit(class));
            }
            let (grant, granted) = oneshot::channel();
            let ticket = state.waiting.push(key(), Waiting { class, grant });
            QueuedCall { scheduler: self, ticket, granted }
        };
        // Called after the lock is released, because the callback takes locks of its own.
        on_queued(waiting.ticket);
        // If only an exclusive call is ahead and this one is read-only, it can start right away.
        self.start_ready();
        waiting.wait_for_grant().await
    }

    /// The position in the queue, beginning with 1; 0 if it is not queued.
    pub(crate) fn queue_position(&self, ticket: u64) -> usize {
        self.state().waiting.position(ticket).map_or(0, |index| index + 1)
    }

    fn permit(self: &Arc<Self>, class: ConcurrencyClass) -> Permit {
        Permit { scheduler: Arc::clone(self), class }
    }

    fn start_ready(self: &Arc<Self>) {
        // Permits are sent without the lock: dropping one that is not received takes it again.
        let started = self.state().take_ready(self.limit);
        for waiting in started {
            // If the receiver is gone, the unsent permit is dropped and so returned.
            let _ = waiting.grant.send(self.permit(waiting.class));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    fn has_room(&self, limit: usize, class: ConcurrencyClass) -> bool {
        let is_alone = !(class.excludes(ConcurrencyClass::Exclusive) && self.exclusive > 0
            || class.excludes(ConcurrencyClass::Mutating) && self.mutating > 0);
        self.running < limit && is_alone
    }

    fn start(&mut self, class: ConcurrencyClass) {
        *self.count(class) += 1;
        self.running += 1;
    }

    fn end(&mut self, class: ConcurrencyClass) {
        *self.count(class) -= 1;
        self.running -= 1;
    }

    fn count(&mut self, class: ConcurrencyClass) -> &mut usize {
        match class {
            ConcurrencyClass::Exclusive => &mut self.exclusive,
            ConcurrencyClass::Mutating => &mut self.mutating,
            // These exclude nothing, so the number is never read.
            ConcurrencyClass::Reading | ConcurrencyClass::Free => &mut self.reading,
        }
    }

    /// Removes the calls that can start now, in order. A call that still waits holds back every later
    /// one that it excludes.
    fn take_ready(&mut self, limit: usize) -> Vec<Waiting> {
        let (mut started, mut held) = (Vec::new(), Vec::<ConcurrencyClass>::new());
        let mut index = 0;
        while self.running < limit {
            let Some(class) = self.waiting.get(index).map(|waiting| waiting.class) else { break };
            if held.iter().any(|earlier| earlier.excludes(class)) || !self.has_room(limit, class) {
                if !held.contains(&class) {
                    held.push(class);
                }
                index += 1;
            } else {
                self.start(class);
                started.extend(self.waiting.take(index));
            }
        }
        started
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.scheduler.state().end(self.class);
        self.scheduler.start_ready();
    }
}

/// A place in the queue, which dropping gives up.
struct QueuedCall<'a> {
    scheduler: &'a Arc<Scheduler>,
    ticket: u64,
    granted: oneshot::Receiver<Permit>,
}

impl QueuedCall<'_> {
    async fn wait_for_grant(mut self) -> Option<Permit> {
        (&mut self.granted).await.ok()
    }
}

impl Drop for QueuedCall<'_> {
    fn drop(&mut self) {
        let left = self.scheduler.state().waiting.remove(self.ticket);
        if left.is_some() {
            // It may have held back others.
            self.scheduler.start_ready();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use futures_util::FutureExt;

    use super::{ConcurrencyClass, QueueKey, Scheduler};

    fn acquire(
        scheduler: &Arc<Scheduler>,
        class: ConcurrencyClass,
    ) -> impl Future<Output = Option<super::Permit>> + '_ {
        scheduler.acquire(class, key, |_| {})
    }

    fn key() -> QueueKey {
        QueueKey { caller: "a".into(), tool: "t".into() }
    }

    #[test]
    fn runs_an_exclusive_call_alone_among_writers() {
        let scheduler = Arc::new(Scheduler::new(10));
        let writer = acquire(&scheduler, ConcurrencyClass::Mutating).now_or_never().flatten();
        assert!(writer.is_some());
        let mut exclusive = Box::pin(acquire(&scheduler, ConcurrencyClass::Exclusive));
        assert!((&mut exclusive).now_or_never().is_none());
        assert!(
            acquire(&scheduler, ConcurrencyClass::Reading).now_or_never().is_some(),
            "who reads need not wait"
        );
        let mut later = Box::pin(acquire(&scheduler, ConcurrencyClass::Mutating));
        assert!((&mut later).now_or_never().is_none(), "who came later waits behind");
        drop(writer);
        let permit = (&mut exclusive).now_or_never().flatten();
        assert!(permit.is_some());
        assert!((&mut later).now_or_never().is_none());
        drop(permit);
        assert!((&mut later).now_or_never().is_some());
    }

    #[test]
    fn reports_queue_positions_and_skips_calls_that_gave_up() {
        let scheduler = Arc::new(Scheduler::new(1));
        let first = acquire(&scheduler, ConcurrencyClass::Reading).now_or_never().flatten();
        let tickets = Mutex::new(Vec::new());
        let queue = || {
            Box::pin(scheduler.acquire(ConcurrencyClass::Reading, key, |ticket| {
                tickets.lock().unwrap_or_else(|_| panic!()).push(ticket)
            }))
        };
        let (mut second, mut third) = (queue(), queue());
        assert!((&mut second).now_or_never().is_none() && (&mut third).now_or_never().is_none());
        let place = |index: usize| {
            scheduler.queue_position(tickets.lock().unwrap_or_else(|_| panic!())[index])
        };
        assert_eq!((place(0), place(1)), (1, 2));
        drop(second);
        assert_eq!((place(0), place(1)), (0, 1));
        drop(first);
        assert!((&mut third).now_or_never().is_some());
    }

    #[test]
    fn a_free_call_needs_no_permit() {
        let scheduler = Arc::new(Scheduler::new(1));
        let _busy = acquire(&scheduler, ConcurrencyClass::Exclusive).now_or_never().flatten();
        assert!(matches!(acquire(&scheduler, ConcurrencyClass::Free).now_or_never(), Some(None)));
    }

    #[test]
    fn a_dropped_waiter_returns_its_permit() {
        let scheduler = Arc::new(Scheduler::new(1));
        let first = acquire(&scheduler, ConcurrencyClass::Mutating).now_or_never().flatten();
        let mut second = Box::pin(acquire(&scheduler, ConcurrencyClass::Mutating));
        assert!((&mut second).now_or_never().is_none());
        drop(first);
        drop(second);
        assert!(acquire(&scheduler, ConcurrencyClass::Exclusive).now_or_never().is_some());
    }
}

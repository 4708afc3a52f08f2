//! Who runs beside whom: a fair queue before the processes.
//!
//! At most so many run at once. A tool that is exclusive runs alone among those that change
//! something; one that only reads runs beside anything; a service takes no turn at all. Whoever
//! came first goes first, except that one who only reads need not wait for an exclusive one.

use std::{collections::VecDeque, sync::Arc};

use catalog::{Concurrency, Tool};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

/// What a call asks of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// That none of them changes anything.
    Exclusive,
    /// That none of them is exclusive.
    Mutating,
    /// Nothing.
    Reading,
    /// Nothing, and it takes no turn.
    Free,
}

impl Lane {
    /// Where a tool belongs.
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

/// The queue and those who run.
pub(crate) struct Lanes {
    limit: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: usize,
    exclusive: usize,
    mutating: usize,
    reading: usize,
    waiting: VecDeque<Waiting>,
    last: u64,
}

struct Waiting {
    ticket: u64,
    lane: Lane,
    grant: oneshot::Sender<Turn>,
}

/// The right to run; given back when dropped.
pub(crate) struct Turn {
    lanes: Arc<Lanes>,
    lane: Lane,
}

impl Lanes {
    /// At most `limit` run at once.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit: limit.max(1), state: Mutex::default() }
    }

    /// Waits for a turn. If it is not given at once, `queued` is told a ticket for [`Lanes::place`].
    pub(crate) async fn enter(
        self: &Arc<Self>,
        lane: Lane,
        queued: impl FnOnce(u64),
    ) -> Option<Turn> {
        if lane == Lane::Free {
            return None;
        }
        let waiting = {
            let mut state = self.state();
            if state.waiting.is_empty() && state.has_room(self.limit, lane) {
                state.start(lane);
                return Some(self.turn(lane));
            }
            let (grant, granted) = oneshot::channel();
            state.last += 1;
            let ticket = state.last;
            state.waiting.push_back(Waiting { ticket, lane, grant });
            InLine { lanes: self, ticket, granted }
        };
        queued(waiting.ticket);
        // Whoever waits behind an exclusive one may only read, and can start right away.
        self.start_those_who_can();
        waiting.granted().await
    }

    /// How many go first, counting this one; 0 if it is not in the queue.
    pub(crate) fn place(&self, ticket: u64) -> usize {
        self.state()
            .waiting
            .iter()
            .position(|waiting| waiting.ticket == ticket)
            .map_or(0, |index| index + 1)
    }

    fn turn(self: &Arc<Self>, lane: Lane) -> Turn {
        Turn { lanes: Arc::clone(self), lane }
    }

    fn start_those_who_can(self: &Arc<Self>) {
        let started = self.state().take_those_who_can(self.limit);
        for waiting in started {
            // If nobody waits any more the turn is dropped, and so given back.
            let _ = waiting.grant.send(self.turn(waiting.lane));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    fn has_room(&self, limit: usize, lane: Lane) -> bool {
        let is_alone = !(lane.excludes(Lane::Exclusive) && self.exclusive > 0
            || lane.excludes(Lane::Mutating) && self.mutating > 0);
        self.running < limit && is_alone
    }

    fn start(&mut self, lane: Lane) {
        *self.count(lane) += 1;
        self.running += 1;
    }

    fn end(&mut self, lane: Lane) {
        *self.count(lane) -= 1;
        self.running -= 1;
    }

    fn count(&mut self, lane: Lane) -> &mut usize {
        match lane {
            Lane::Exclusive => &mut self.exclusive,
            Lane::Mutating => &mut self.mutating,
            // Counted among the running only.
            Lane::Reading | Lane::Free => &mut self.reading,
        }
    }

    /// In order; those who wait longer and exclude a later one hold it back.
    fn take_those_who_can(&mut self, limit: usize) -> Vec<Waiting> {
        let (mut started, mut held) = (Vec::new(), Vec::<Lane>::new());
        let mut index = 0;
        while index < self.waiting.len() && self.running < limit {
            let lane = self.waiting[index].lane;
            if held.iter().any(|earlier| earlier.excludes(lane)) || !self.has_room(limit, lane) {
                if !held.contains(&lane) {
                    held.push(lane);
                }
                index += 1;
            } else {
                self.start(lane);
                started.extend(self.waiting.remove(index));
            }
        }
        started
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.lanes.state().end(self.lane);
        self.lanes.start_those_who_can();
    }
}

/// Someone in the queue, who leaves it when dropped.
struct InLine<'a> {
    lanes: &'a Arc<Lanes>,
    ticket: u64,
    granted: oneshot::Receiver<Turn>,
}

impl InLine<'_> {
    async fn granted(mut self) -> Option<Turn> {
        (&mut self.granted).await.ok()
    }
}

impl Drop for InLine<'_> {
    fn drop(&mut self) {
        let mut state = self.lanes.state();
        let place = state.waiting.iter().position(|waiting| waiting.ticket == self.ticket);
        let left = place.and_then(|place| state.waiting.remove(place));
        drop(state);
        if left.is_some() {
            self.lanes.start_those_who_can();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use futures_util::FutureExt;

    use super::{Lane, Lanes};

    fn enter(lanes: &Arc<Lanes>, lane: Lane) -> impl Future<Output = Option<super::Turn>> + '_ {
        lanes.enter(lane, |_| {})
    }

    #[test]
    fn an_exclusive_one_runs_alone_among_those_that_write() {
        let lanes = Arc::new(Lanes::new(10));
        let writer = enter(&lanes, Lane::Mutating).now_or_never().flatten();
        assert!(writer.is_some());
        let mut exclusive = Box::pin(enter(&lanes, Lane::Exclusive));
        assert!((&mut exclusive).now_or_never().is_none());
        assert!(enter(&lanes, Lane::Reading).now_or_never().is_some(), "who reads need not wait");
        let mut later = Box::pin(enter(&lanes, Lane::Mutating));
        assert!((&mut later).now_or_never().is_none(), "who came later waits behind");
        drop(writer);
        let turn = (&mut exclusive).now_or_never().flatten();
        assert!(turn.is_some());
        assert!((&mut later).now_or_never().is_none());
        drop(turn);
        assert!((&mut later).now_or_never().is_some());
    }

    #[test]
    fn the_place_in_the_queue_is_known_and_those_who_leave_make_way() {
        let lanes = Arc::new(Lanes::new(1));
        let first = enter(&lanes, Lane::Reading).now_or_never().flatten();
        let tickets = Mutex::new(Vec::new());
        let queue = || {
            Box::pin(lanes.enter(Lane::Reading, |ticket| {
                tickets.lock().unwrap_or_else(|_| panic!()).push(ticket)
            }))
        };
        let (mut second, mut third) = (queue(), queue());
        assert!((&mut second).now_or_never().is_none() && (&mut third).now_or_never().is_none());
        let place = |index: usize| lanes.place(tickets.lock().unwrap_or_else(|_| panic!())[index]);
        assert_eq!((place(0), place(1)), (1, 2));
        drop(second);
        assert_eq!((place(0), place(1)), (0, 1));
        drop(first);
        assert!((&mut third).now_or_never().is_some());
    }

    #[test]
    fn a_service_takes_no_turn() {
        let lanes = Arc::new(Lanes::new(1));
        let _busy = enter(&lanes, Lane::Exclusive).now_or_never().flatten();
        assert!(matches!(enter(&lanes, Lane::Free).now_or_never(), Some(None)));
    }

    #[test]
    fn a_turn_nobody_took_is_given_back() {
        let lanes = Arc::new(Lanes::new(1));
        let first = enter(&lanes, Lane::Mutating).now_or_never().flatten();
        let mut second = Box::pin(enter(&lanes, Lane::Mutating));
        assert!((&mut second).now_or_never().is_none());
        drop(first);
        drop(second);
        assert!(enter(&lanes, Lane::Exclusive).now_or_never().is_some());
    }
}

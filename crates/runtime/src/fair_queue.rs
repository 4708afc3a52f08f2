//! A queue that takes turns between callers.

use std::{collections::VecDeque, sync::Arc};

/// The caller and the tool of a queued request. Callers take turns, and so do the tools of one
/// caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueKey {
    /// The client, as far as clients can be told apart.
    pub caller: Arc<str>,
    /// The name of the tool.
    pub tool: Arc<str>,
}

/// A queue that takes turns between callers: the second entry of one caller comes after the first of
/// every other. Entries of the same caller and tool stay in order.
#[derive(Debug)]
pub struct FairQueue<T> {
    /// Ordered by turn.
    entries: VecDeque<Entry<T>>,
    /// The round of the entry that left last. New entries do not come before it, so that an entry
    /// waits for a bounded number of others.
    round: u64,
    last_ticket: u64,
}

#[derive(Debug)]
struct Entry<T> {
    turn: Turn,
    key: QueueKey,
    value: T,
}

/// Compared in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    /// One more for each entry of the same caller and tool that is ahead.
    round: u64,
    /// The entries of the same caller ahead: in the same round, callers with fewer come first.
    ahead: usize,
    ticket: u64,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { entries: VecDeque::new(), round: 0, last_ticket: 0 }
    }
}

impl<T> FairQueue<T> {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry and returns its ticket, which is never 0.
    pub fn push(&mut self, key: QueueKey, value: T) -> u64 {
        self.last_ticket += 1;
        let of_caller = self.entries.iter().filter(|entry| entry.key.caller == key.caller);
        let (mut ahead, mut round) = (0, self.round);
        for entry in of_caller {
            ahead += 1;
            // Only the same tool puts it into a later round, so that a caller's tools alternate as
            // well.
            if entry.key.tool == key.tool {
                round = round.max(entry.turn.round + 1);
            }
        }
        let turn = Turn { round, ahead, ticket: self.last_ticket };
        let at = self.entries.partition_point(|entry| entry.turn < turn);
        self.entries.insert(at, Entry { turn, key, value });
        self.last_ticket
    }

    /// The value at a position, from 0.
    pub fn get(&self, position: usize) -> Option<&T> {
        self.entries.get(position).map(|entry| &entry.value)
    }

    /// The position of an entry, from 0.
    pub fn position(&self, ticket: u64) -> Option<usize> {
        self.entries.iter().position(|entry| entry.turn.ticket == ticket)
    }

    /// Removes the entry at a position because it has its turn.
    pub fn take(&mut self, position: usize) -> Option<T> {
        let entry = self.entries.remove(position)?;
        // New entries join this round, so that a caller which was idle does not get the turns it
        // has missed.
        self.round = self.round.max(entry.turn.round);
        Some(entry.value)
    }

    /// Removes an entry that gives up.
    pub fn remove(&mut self, ticket: u64) -> Option<T> {
        let position = self.position(ticket)?;
        self.entries.remove(position).map(|entry| entry.value)
    }
}

#[cfg(test)]
mod tests {
    use super::{FairQueue, QueueKey};

    fn push(queue: &mut FairQueue<&'static str>, caller: &str, tool: &str, value: &'static str) {
        queue.push(QueueKey { caller: caller.into(), tool: tool.into() }, value);
    }

    #[test]
    fn takes_turns_between_callers_and_between_tools_of_a_caller() {
        let mut queue = FairQueue::default();
        for value in ["a1", "a2", "a3"] {
            push(&mut queue, "a", "sleep", value);
        }
        push(&mut queue, "b", "sleep", "b1");
        push(&mut queue, "a", "echo", "a echo");
        push(&mut queue, "b", "sleep", "b2");
        assert_eq!(
            (0..queue.len()).filter_map(|at| queue.get(at).copied()).collect::<Vec<_>>(),
            ["a1", "b1", "a echo", "a2", "b2", "a3"]
        );
    }

    #[test]
    fn keeps_the_order_of_a_caller_and_prevents_starvation() {
        let mut queue = FairQueue::default();
        push(&mut queue, "a", "sleep", "a1");
        push(&mut queue, "a", "sleep", "a2");
        let mut taken = Vec::new();
        for value in ["b1", "b2", "b3"] {
            push(&mut queue, "b", "echo", value);
            taken.extend(queue.take(0));
        }
        let left: Vec<_> = (0..queue.len()).filter_map(|at| queue.get(at).copied()).collect();
        assert_eq!((taken, left), (vec!["a1", "b1", "a2"], vec!["b2", "b3"]));
    }
}

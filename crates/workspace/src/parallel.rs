//! The same work on many files, on all cores.

use std::{num::NonZero, thread};

/// Below this many items a thread costs more than it saves.
const WORTH_A_THREAD: usize = 8;

/// What `work` makes of each item, in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    flat_map(items, |items| items.iter().map(&work).collect())
}

/// What `work` makes of runs of items, in the order of the items.
pub(crate) fn flat_map<T: Sync, R: Send>(items: &[T], work: impl Fn(&[T]) -> Vec<R> + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(items.len() / WORTH_A_THREAD).max(1);
    if threads == 1 {
        return work(items);
    }
    let work = &work;
    thread::scope(|scope| {
        let (first, rest) = items.split_at(items.len().div_ceil(threads));
        let others = rest.chunks(first.len()).map(|run| scope.spawn(move || work(run)));
        let others: Vec<_> = others.collect();
        let mut made = work(first);
        for other in others {
            made.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        made
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn keeps_the_order() {
        let items: Vec<usize> = (0..1000).collect();
        assert_eq!(super::map(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
    }
}

//! Processes many files on all cores. Files differ much in cost, so threads take small batches from
//! a shared queue instead of one equal share each.

use std::{num::NonZero, sync::OnceLock, thread};

use parking_lot::Mutex;

/// The minimum number of items per thread: starting a thread for fewer costs more than it saves.
const MIN_ITEMS_PER_THREAD: usize = 8;
/// The number of batches per thread.
const BATCHES_PER_THREAD: usize = 8;

/// Applies `work` to each item. Results are in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    flat_map(items, |items| items.iter().map(&work).collect())
}

/// Like [`map`], with owned items.
pub(crate) fn map_into<T: Send, R: Send>(
    mut items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let (threads, length) = plan_batches(items.len());
    let mut batches = Vec::new();
    while items.len() > length {
        batches.push(items.split_off(items.len() - length));
    }
    batches.push(items);
    // `split_off` takes from the end, so the batches are in reverse order.
    batches.reverse();
    run_on_threads(threads, batches, |batch: Vec<T>| batch.into_iter().map(&work).collect())
}

/// Applies `work` to batches of items and concatenates the results in the order of the items.
pub(crate) fn flat_map<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&[T]) -> Vec<R> + Sync,
) -> Vec<R> {
    let (threads, length) = plan_batches(items.len());
    run_on_threads(threads, items.chunks(length).collect(), work)
}

/// The number of threads, and the number of items in a batch.
fn plan_batches(items: usize) -> (usize, usize) {
    let threads = match items / MIN_ITEMS_PER_THREAD {
        0 | 1 => 1,
        max => cores().min(max),
    };
    let batches = if threads == 1 { 1 } else { threads * BATCHES_PER_THREAD };
    (threads, items.div_ceil(batches).max(1))
}

/// The number of cores. Asked for once, because that reads files under `/proc` and `/sys`.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

fn run_on_threads<T: Send, R: Send>(
    threads: usize,
    batches: Vec<T>,
    work: impl Fn(T) -> Vec<R> + Sync,
) -> Vec<R> {
    let queue = Mutex::new(batches.into_iter().enumerate());
    // Takes the lock only for the time of one `next`, not for the work on the batch.
    let next = || queue.lock().next();
    let work = || {
        let mut results = Vec::new();
        while let Some((index, batch)) = next() {
            results.push((index, work(batch)));
        }
        results
    };
    let mut results = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        // The calling thread works too, so one thread less has to be started.
        let mut results = work();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().flat_map(|(_, batch)| batch).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn keeps_the_order() {
        let items: Vec<usize> = (0..1000).collect();
        let twice: Vec<usize> = items.iter().map(|item| item * 2).collect();
        assert_eq!(super::map(&items, |item| item * 2), twice);
        assert_eq!(super::map_into(items, |item| item * 2), twice);
    }
}

//! The same work on many files, on all cores. Some take much longer than others, so a thread that is done with a few takes
//! the next few.

use std::{num::NonZero, thread};

use parking_lot::Mutex;

/// Below this many items a thread costs more than it saves.
const WORTH_A_THREAD: usize = 8;
/// How many times each thread takes items, if all take equally long.
const TURNS: usize = 8;

/// What `work` makes of each item, in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    flat_map(items, |items| items.iter().map(&work).collect())
}

/// What `work` makes of each item, which it may keep, in the order of the items.
pub(crate) fn map_into<T: Send, R: Send>(
    mut items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let (threads, length) = shares(items.len());
    let mut runs = Vec::new();
    while items.len() > length {
        runs.push(items.split_off(items.len() - length));
    }
    runs.push(items);
    runs.reverse();
    on_threads(threads, runs, |run: Vec<T>| run.into_iter().map(&work).collect())
}

/// What `work` makes of runs of items, in the order of the items.
pub(crate) fn flat_map<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&[T]) -> Vec<R> + Sync,
) -> Vec<R> {
    let (threads, length) = shares(items.len());
    on_threads(threads, items.chunks(length).collect(), work)
}

/// How many threads are worth it, and how many items one takes at a time.
fn shares(items: usize) -> (usize, usize) {
    let threads = match items / WORTH_A_THREAD {
        // Asking for the number of cores reads files.
        0 | 1 => 1,
        most => thread::available_parallelism().map_or(1, NonZero::get).min(most),
    };
    let turns = if threads == 1 { 1 } else { threads * TURNS };
    (threads, items.div_ceil(turns).max(1))
}

fn on_threads<T: Send, R: Send>(
    threads: usize,
    runs: Vec<T>,
    work: impl Fn(T) -> Vec<R> + Sync,
) -> Vec<R> {
    let waiting = Mutex::new(runs.into_iter().enumerate());
    let next = || waiting.lock().next();
    let work = || {
        let mut made = Vec::new();
        while let Some((at, run)) = next() {
            made.push((at, work(run)));
        }
        made
    };
    let mut made = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut made = work();
        for other in others {
            made.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        made
    });
    made.sort_unstable_by_key(|(at, _)| *at);
    made.into_iter().flat_map(|(_, made)| made).collect()
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

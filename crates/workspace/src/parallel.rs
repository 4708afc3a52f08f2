//! The same work on many files, on all cores.

use std::{num::NonZero, thread};

/// Below this many items a thread costs more than it saves.
const WORTH_A_THREAD: usize = 8;

/// What `work` makes of each item, in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    flat_map(items, |items| items.iter().map(&work).collect())
}

/// What `work` makes of each item, which it may keep, in the order of the items.
pub(crate) fn map_into<T: Send, R: Send>(mut items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let length = run_length(items.len());
    let mut runs = Vec::new();
    while items.len() > length {
        runs.push(items.split_off(items.len() - length));
    }
    runs.push(items);
    runs.reverse();
    on_threads(runs, |run: Vec<T>| run.into_iter().map(&work).collect())
}

/// What `work` makes of runs of items, in the order of the items.
pub(crate) fn flat_map<T: Sync, R: Send>(items: &[T], work: impl Fn(&[T]) -> Vec<R> + Sync) -> Vec<R> {
    on_threads(items.chunks(run_length(items.len())).collect(), work)
}

/// How many items one thread takes.
fn run_length(items: usize) -> usize {
    let threads = match items / WORTH_A_THREAD {
        // Asking for the number of cores reads files.
        0 | 1 => 1,
        most => thread::available_parallelism().map_or(1, NonZero::get).min(most),
    };
    items.div_ceil(threads).max(1)
}

/// The first run is worked on here, each other on a thread of its own.
fn on_threads<T: Send, R: Send>(runs: Vec<T>, work: impl Fn(T) -> Vec<R> + Sync) -> Vec<R> {
    let work = &work;
    let mut runs = runs.into_iter();
    let Some(first) = runs.next() else { return Vec::new() };
    thread::scope(|scope| {
        let others: Vec<_> = runs.map(|run| scope.spawn(move || work(run))).collect();
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
        let twice: Vec<usize> = items.iter().map(|item| item * 2).collect();
        assert_eq!(super::map(&items, |item| item * 2), twice);
        assert_eq!(super::map_into(items, |item| item * 2), twice);
    }
}

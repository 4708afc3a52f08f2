//! The same work on many files, on all cores.

use std::{num::NonZero, thread};

/// Below this many items a thread costs more than it saves.
const WORTH_A_THREAD: usize = 8;

/// What `work` makes of each item, in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(items.len() / WORTH_A_THREAD).max(1);
    if threads == 1 {
        return items.iter().map(work).collect();
    }
    let work = &work;
    thread::scope(|scope| {
        let (first, rest) = items.split_at(items.len().div_ceil(threads));
        let others: Vec<_> = rest
            .chunks(items.len().div_ceil(threads))
            .map(|chunk| scope.spawn(move || chunk.iter().map(work).collect::<Vec<_>>()))
            .collect();
        let mut made: Vec<R> = first.iter().map(work).collect();
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

//! Counts the growth of output files since operations were last pruned.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// The bytes of output files of operations that ended since the last pruning.
#[derive(Default)]
pub(super) struct Growth {
    bytes: AtomicU64,
    grown: Notify,
}

impl Growth {
    pub(super) fn add(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::SeqCst);
        self.grown.notify_one();
    }

    pub(super) fn reset(&self) {
        self.bytes.store(0, Ordering::SeqCst);
    }

    /// Waits until the growth exceeds `limit` bytes.
    pub(super) async fn exceeds(&self, limit: u64) {
        // Growth between the check and the wait is not missed, because `notify_one` stores its
        // permit.
        while self.bytes.load(Ordering::SeqCst) <= limit {
            self.grown.notified().await;
        }
    }
}

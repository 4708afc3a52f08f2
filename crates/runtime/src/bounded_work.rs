//! Work on untrusted input that may take long: on threads of its own, a few at a time, with a
//! deadline.

use std::{
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use catalog::budget::Budget;
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};

/// Slowdown factor of a build without optimizations.
const SLOWDOWN: u32 = if cfg!(debug_assertions) { 10 } else { 1 };

/// Time limit for one piece of work.
pub const WORK_TIME: Duration = Duration::from_secs(1).saturating_mul(SLOWDOWN);

/// Maximum wait for a thread.
const QUEUE_TIME: Duration = Duration::from_secs(5);

/// Threads at a time: the rest of the machine stays free for other calls.
const THREADS: usize = 2;

/// Runs work on untrusted input outside of the async threads, so that no request delays the
/// response to another.
#[derive(Debug)]
pub struct BoundedWork {
    threads: Arc<Semaphore>,
    limit: Duration,
}

/// Why work was not completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// It took too long.
    TimedOut,
    /// Too much other work was waiting.
    Busy,
}

impl Default for BoundedWork {
    fn default() -> Self {
        Self { threads: Arc::new(Semaphore::new(THREADS)), limit: WORK_TIME }
    }
}

impl BoundedWork {
    /// Runs `work` and returns its result. If it takes too long, returns at once; the work itself
    /// stops where it next spends from its [`catalog::budget`], and its thread is not used for
    /// other work until then.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Unfinished> {
        let permit = timeout(QUEUE_TIME, Arc::clone(&self.threads).acquire_owned()).await;
        let permit = permit.map_err(|_| Unfinished::Busy)?;
        let expired = Arc::new(AtomicBool::new(false));
        let budget = Budget::with_deadline_flag(Arc::clone(&expired));
        let running = spawn_blocking(move || {
            let _permit = permit;
            budget.run(work)
        });
        // Runs even if this future is dropped because the request was cancelled.
        let _expire = ExpireOnDrop(expired);
        match timeout(self.limit, running).await {
            Ok(Ok(Ok(done))) => Ok(done),
            Ok(Err(error)) if error.is_panic() => resume_unwind(error.into_panic()),
            Ok(_) | Err(_) => Err(Unfinished::TimedOut),
        }
    }
}

/// Makes the work stop.
struct ExpireOnDrop(Arc<AtomicBool>);

impl Drop for ExpireOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use catalog::budget::spend;

    use super::{BoundedWork, Unfinished};

    #[tokio::test]
    async fn stops_work_that_takes_too_long() {
        let work = BoundedWork { limit: Duration::from_millis(20), ..BoundedWork::default() };
        let endless = || (0..u64::MAX).for_each(|_| spend(1));
        assert_eq!(work.run(endless).await, Err(Unfinished::TimedOut));
        assert_eq!(BoundedWork::default().run(|| 3).await, Ok(3));
    }
}

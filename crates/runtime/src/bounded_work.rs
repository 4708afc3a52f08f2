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

use catalog::{ErrorType, Failure, Tool, budget::Budget, failures};
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::{block_in_place, spawn_blocking},
    time::{sleep, timeout},
};

/// Slowdown factor of a build without optimizations.
const SLOWDOWN: u32 = if cfg!(debug_assertions) { 10 } else { 1 };

/// Time limit for one piece of work.
pub const WORK_TIME: Duration = Duration::from_secs(1).saturating_mul(SLOWDOWN);

/// The steps that may be spent on an async thread: less than a millisecond, or a few milliseconds
/// with patterns that backtrack. Most calls need a few hundred.
pub(crate) const INLINE_STEPS: u64 = 20_000;

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

impl Unfinished {
    /// The failure of a call of `tool` for which this work was not completed.
    pub(crate) fn failure(self, tool: &Tool) -> Failure {
        let name = &tool.name;
        let failure = match self {
            Self::TimedOut => Failure::new(
                ErrorType::TooComplex,
                format!(
                    "the arguments of `{name}` take too long to check against its schema; send less, or simplify the schema"
                ),
            ),
            Self::Busy => Failure::new(
                ErrorType::TooManyCalls,
                format!("the server is busy checking arguments; call `{name}` again later"),
            ),
        };
        failures::complete(tool, failure)
    }
}

impl Default for BoundedWork {
    fn default() -> Self {
        Self::with_limit(WORK_TIME)
    }
}

impl BoundedWork {
    /// Work with another time limit.
    pub(crate) fn with_limit(limit: Duration) -> Self {
        Self { threads: Arc::new(Semaphore::new(THREADS)), limit }
    }

    /// Runs `work` and returns its result. If it takes too long, returns at once; the work itself
    /// stops where it next spends from its [`catalog::budget`], and its thread is not used for
    /// other work until then.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Unfinished> {
        let permit = self.acquire_thread().await?;
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

    /// Runs work that borrows and that is usually short: at once, or if that takes too many steps, once more
    /// from the start with a deadline.
    pub(crate) async fn run_here<T>(&self, work: impl Fn() -> T) -> Result<T, Unfinished> {
        if let Ok(done) = Budget::steps(INLINE_STEPS).run(&work) {
            return Ok(done);
        }
        let _permit = self.acquire_thread().await?;
        let expired = Arc::new(AtomicBool::new(false));
        let expire = ExpireOnDrop(Arc::clone(&expired));
        let limit = self.limit;
        // The timer runs in a task of its own, because the work occupies this one until it looks at
        // the flag.
        let timer = tokio::spawn(async move {
            sleep(limit).await;
            drop(expire);
        });
        let done = without_async(|| Budget::with_deadline_flag(expired).run(work));
        timer.abort();
        done.map_err(|_| Unfinished::TimedOut)
    }

    async fn acquire_thread(&self) -> Result<OwnedSemaphorePermit, Unfinished> {
        let permit = timeout(QUEUE_TIME, Arc::clone(&self.threads).acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or(Unfinished::Busy)
    }
}

/// Runs blocking work on this thread, while another one takes over its async tasks.
pub(crate) fn without_async<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        // There is no other thread.
        _ => work(),
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

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn stops_work_that_borrows_and_lets_others_run_meanwhile() {
        let work = BoundedWork::with_limit(Duration::from_millis(20));
        let limit = 7;
        let endless = || (0..u64::MAX).for_each(|_| spend(limit));
        let (stopped, other) = tokio::join!(work.run_here(endless), tokio::spawn(async { 3 }));
        assert_eq!((stopped, other.ok()), (Err(Unfinished::TimedOut), Some(3)));
        assert_eq!(work.run_here(|| limit).await, Ok(7));
    }

    #[tokio::test]
    async fn stops_work_that_takes_too_long() {
        let work = BoundedWork { limit: Duration::from_millis(20), ..BoundedWork::default() };
        let endless = || (0..u64::MAX).for_each(|_| spend(1));
        assert_eq!(work.run(endless).await, Err(Unfinished::TimedOut));
        assert_eq!(BoundedWork::default().run(|| 3).await, Ok(3));
    }
}

//! From a call to an operation: started, waited for a short while, then left to itself.

use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use catalog::{ErrorType, Failure, Outcome};
use futures_util::FutureExt;
use tokio::time::{interval, sleep};
use toolkit::Context;

use super::{LiveOperation, Shared, client::OperationClient};
use crate::{Runtime, call::Job, failures, log::Log, operation::Owner};

/// How often a caller that waits is told how far the operation is.
const TICK: Duration = Duration::from_millis(250);
/// The most tools whose habits are remembered.
const HABITS: usize = 1024;

/// A call that becomes an operation.
pub(crate) struct Work {
    pub(crate) job: Job,
    pub(crate) owner: Owner,
    pub(crate) log: Log,
}

impl Runtime {
    /// Runs a call as an operation: its outcome if it ends soon, else word that it was started.
    pub(crate) async fn operate(
        self: &Arc<Self>,
        work: Work,
    ) -> (Outcome, Option<Arc<LiveOperation>>) {
        let Work { mut job, owner, log } = work;
        // What cannot run is refused, rather than recorded.
        if let Err(failure) = self.rehearse(&mut job) {
            return (failure.into(), None);
        }
        let shared = &self.operations.0;
        let live = match shared.begin(&job.tool, &job.arguments, owner).await {
            Ok(live) => live,
            Err(failure) => return (failure.into(), None),
        };
        let caller = job.context.clone();
        let patience = job.tool.answer_within.unwrap_or_else(|| shared.patience(&job.tool.name));
        let mut waiting = Waiting { live: Arc::clone(&live), is_over: false };
        job.context = OperationClient::context(&live, caller.clone());
        job.live = Some(Arc::clone(&live));
        tokio::spawn(Arc::clone(self).carry_out(job, log, Arc::clone(&live)));
        let outcome = attend(&live, &caller, patience).await;
        waiting.is_over = true;
        (outcome, Some(live))
    }

    async fn carry_out(self: Arc<Self>, job: Job, log: Log, live: Arc<LiveOperation>) {
        let tool = Arc::clone(&job.tool);
        let begun = Instant::now();
        // Whatever happens, an operation that was begun is ended.
        let work = AssertUnwindSafe(self.perform(job)).catch_unwind().await;
        let outcome = work.unwrap_or_else(|_| {
            failures::to_outcome(
                &tool,
                Failure::new(
                    ErrorType::InternalError,
                    format!("`{}` failed inside the server", tool.name),
                ),
            )
        });
        log.ended(Ok(&outcome));
        self.operations.0.remember_habit(&tool.name, begun.elapsed());
        self.operations.0.finish(&live, outcome).await;
    }
}

/// The caller's wait. If the caller goes away during it, the operation is ended.
struct Waiting {
    live: Arc<LiveOperation>,
    is_over: bool,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.is_over && self.live.detach() {
            self.live.end("its caller went away");
        }
    }
}

async fn attend(live: &Arc<LiveOperation>, caller: &Context, patience: Duration) -> Outcome {
    let patience = sleep(patience);
    tokio::pin!(patience);
    let mut ticks = interval(TICK);
    let (mut said, mut is_patient) = (0.0, true);
    loop {
        tokio::select! {
            biased;
            () = live.done() => break,
            () = caller.cancelled(), if is_patient => {
                live.end("its request was cancelled");
                is_patient = false;
            }
            () = &mut patience, if is_patient => {
                if live.detach() {
                    return live.snapshot().started_outcome();
                }
                is_patient = false;
            }
            _ = ticks.tick() => tell(live, caller, &mut said).await,
        }
    }
    live.snapshot().outcome.unwrap_or_default()
}

/// Progress as a percentage where it is known, else the seconds that have passed. Never less than before.
async fn tell(live: &LiveOperation, caller: &Context, said: &mut f64) {
    let operation = live.snapshot();
    let (done, total) = match operation.progress.fraction {
        Some(fraction) => (fraction * 100.0, Some(100.0)),
        None => (operation.elapsed.as_secs_f64(), None),
    };
    if done > *said {
        *said = done;
        let message = operation.progress.message.or(operation.last_line);
        caller.report_progress(done, total, message.as_deref()).await;
    }
}

impl Shared {
    /// A tool that last ended a little after the usual patience is given a little more.
    fn patience(&self, tool: &str) -> Duration {
        let longest = self.patience.saturating_mul(5) / 2;
        let habits = self.habits.lock();
        match habits.get(tool) {
            Some(last) if *last > self.patience && *last <= longest => longest,
            _ => self.patience,
        }
    }

    fn remember_habit(&self, tool: &str, took: Duration) {
        let mut habits = self.habits.lock();
        if habits.len() >= HABITS {
            habits.clear();
        }
        habits.insert(tool.to_owned(), took);
    }
}

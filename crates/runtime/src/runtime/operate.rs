//! Runs a call as an operation: waits a short while for its outcome, then leaves it to itself.

use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use catalog::{ErrorType, Failure, Outcome};
use futures_util::FutureExt;
use tokio::time::{interval, sleep};
use toolkit::Context;

use super::{Runtime, record::OperationRecord};
use crate::{
    backends::{backend_for, run_detached},
    call::ActiveCall,
    failures,
    log::CallLog,
    operation::OperationId,
    operations::{LiveOperation, OperationClient},
};

/// How often a waiting caller gets progress.
const TICK: Duration = Duration::from_millis(250);

impl Runtime {
    /// Returns the outcome if the call ends soon, and otherwise the notice that an operation was
    /// started. `on_begin` is called once the operation is recorded, before it runs; the record that
    /// it returns is audited when the operation ends.
    pub(super) async fn operate(
        self: &Arc<Self>,
        mut call: ActiveCall,
        log: &CallLog,
        on_begin: impl FnOnce(OperationId) -> Option<OperationRecord>,
    ) -> (Outcome, Option<Arc<LiveOperation>>) {
        let tool = Arc::clone(&call.call.tool);
        let caller = call.call.context.clone();
        // A call that cannot run is refused, not recorded.
        let rehearsed = self.engine.plan_bounded(&tool, || {
            backend_for(&tool.implementation).rehearse(&self.engine, &call)
        });
        match rehearsed.await {
            Ok(plan) => call.plan = plan,
            Err(failure) => return (failures::to_outcome(&tool, failure), None),
        }
        let operations = &self.operations;
        let owner = call.call.owner.clone();
        let limit = call.timeout(self.engine.settings.timeout_of(&tool));
        let live = match operations.begin(&tool, &call.call.arguments, owner, limit).await {
            Ok(live) => live,
            Err(failure) => return (failure.into(), None),
        };
        let record = on_begin(live.id().clone());
        let answer_within = tool.answer_within.unwrap_or_else(|| operations.answer_within(&tool));
        // If this future is dropped (the connection is gone), the guard cancels the operation.
        let mut waiting = WaitingCaller { live: Arc::clone(&live), is_done: false };
        call.call.context = OperationClient::context(&live, caller.clone());
        call.operation = Some(Arc::clone(&live));
        // Runs in a task of its own, which outlives the request.
        let running = Arc::clone(self).run_operation(call, log.clone(), Arc::clone(&live), record);
        tokio::spawn(running);
        let outcome = wait_for_outcome(&live, &caller, answer_within).await;
        waiting.is_done = true;
        (outcome, Some(live))
    }

    async fn run_operation(
        self: Arc<Self>,
        call: ActiveCall,
        log: CallLog,
        live: Arc<LiveOperation>,
        record: Option<OperationRecord>,
    ) {
        let tool = Arc::clone(&call.call.tool);
        let begun = Instant::now();
        // Even if the backend panics, an operation that was begun is finished.
        let work = AssertUnwindSafe(run_detached(&self.engine, call)).catch_unwind().await;
        let outcome = work.unwrap_or_else(|_| {
            let message = format!("`{}` failed with an internal error of the server", tool.name);
            failures::to_outcome(&tool, Failure::new(ErrorType::InternalError, message))
        });
        log.finish(Ok(&outcome));
        self.operations.remember_duration(&tool, begun.elapsed());
        if let Some(record) = record {
            // Recorded before the end is published, because no client may see a result that the log
            // lacks.
            self.record_end(record, &outcome);
        }
        self.operations.finish(&live, outcome).await;
    }
}

/// Cancels the operation if the caller disconnects while it waits.
struct WaitingCaller {
    live: Arc<LiveOperation>,
    is_done: bool,
}

impl Drop for WaitingCaller {
    fn drop(&mut self) {
        if !self.is_done && self.live.detach() {
            self.live.cancel("its caller disconnected");
        }
    }
}

async fn wait_for_outcome(
    live: &Arc<LiveOperation>,
    caller: &Context,
    answer_within: Duration,
) -> Outcome {
    let deadline = sleep(answer_within);
    tokio::pin!(deadline);
    let mut ticks = interval(TICK);
    let (mut reported, mut may_detach) = (0.0, true);
    loop {
        tokio::select! {
            // The outcome wins over the deadline if both are there.
            biased;
            () = live.wait_until_done() => break,
            () = caller.cancelled(), if may_detach => {
                live.cancel("its request was cancelled");
                // Cancelling takes up to the grace period. The caller waits for it, so that the
                // outcome lists what was killed.
                may_detach = false;
            }
            () = &mut deadline, if may_detach => {
                if live.detach() {
                    return live.snapshot().started_outcome();
                }
                may_detach = false;
            }
            _ = ticks.tick() => report_progress(live, caller, &mut reported).await,
        }
    }
    live.snapshot().outcome.unwrap_or_default()
}

/// Reports a percentage where it is known, else the elapsed seconds. Values must not decrease (MCP).
async fn report_progress(live: &LiveOperation, caller: &Context, reported: &mut f64) {
    let operation = live.snapshot();
    let (done, total) = match operation.progress.fraction {
        Some(fraction) => (fraction * 100.0, Some(100.0)),
        None => (operation.elapsed.as_secs_f64(), None),
    };
    if done > *reported {
        *reported = done;
        let message = operation.progress.message.or(operation.last_line);
        caller.report_progress(done, total, message.as_deref()).await;
    }
}

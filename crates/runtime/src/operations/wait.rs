//! Waiting for operations, and cancelling them.

use std::{sync::Arc, time::Duration};

use catalog::Failure;
use futures_util::future::{Either, select_all};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::{LiveOperation, Operations, Shared, Viewer, recover};
use crate::{
    journal::Filter,
    operation::{Operation, OperationId},
};

/// The polling interval for operations of other servers.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Additional time for cancelling beyond the grace period of the processes.
const SLACK: Duration = Duration::from_secs(5);
/// Maximum number of operations to wait for if none is named.
const MAX_OPERATIONS: usize = 1000;

/// When waiting is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// As soon as one operation has ended.
    Any,
    /// When all have ended.
    All,
}

impl Operations {
    /// Waits until one or all operations have ended, or for `limit`. Without ids, waits for the viewer's
    /// running operations. Returns all of them, with their outcomes or their progress.
    pub async fn wait(
        &self,
        viewer: Viewer<'_>,
        ids: &[OperationId],
        until: Until,
        limit: Duration,
    ) -> Result<Vec<Operation>, Failure> {
        let ids = if ids.is_empty() { self.unfinished(viewer).await? } else { ids.to_vec() };
        // A client may send any number, and adding too much to an instant panics.
        let end = Instant::now() + limit.min(Duration::from_secs(365 * 24 * 3600));
        loop {
            let mut operations = Vec::with_capacity(ids.len());
            for id in &ids {
                operations.push(self.get(viewer, id).await?);
            }
            let ended = operations.iter().filter(|operation| operation.state.is_final()).count();
            // Without any operation there is nothing to wait for, and zero of zero have ended.
            let is_enough = ended == ids.len() || until == Until::Any && ended > 0;
            if is_enough || Instant::now() >= end {
                return Ok(operations);
            }
            self.wait_for_any_end(&operations, end).await;
        }
    }

    /// Cancels an operation, kills its processes and returns it. An operation that has ended stays as it
    /// is.
    pub async fn cancel(&self, viewer: Viewer<'_>, id: &OperationId) -> Result<Operation, Failure> {
        let operation = self.get(viewer, id).await?;
        if operation.state.is_final() {
            return Ok(operation);
        }
        match self.0.find(id) {
            Some(live) => {
                live.cancel("on request");
                // If it does not end in time, the caller sees that it still runs.
                let _ = timeout(self.0.cancel_timeout(), live.wait_until_done()).await;
                Ok(live.snapshot())
            }
            None => {
                recover::cancel_elsewhere(&self.0, operation).await?;
                self.get(viewer, id).await
            }
        }
    }

    /// Cancels all operations because the server stops, and waits until that is recorded.
    pub async fn drain(&self) {
        let all = self.0.all();
        // All at once: their grace periods then pass at the same time.
        all.iter().for_each(|live| live.cancel("the server was shut down"));
        let ended = futures_util::future::join_all(all.iter().map(|live| live.wait_until_done()));
        if timeout(self.0.cancel_timeout(), ended).await.is_err() {
            tracing::error!(
                "some operations did not stop in time; the next server will recover them"
            );
        }
        self.0.cleanup.close();
        if timeout(self.0.cancel_timeout(), self.0.cleanup.wait()).await.is_err() {
            tracing::error!(
                "the clean-up of operations did not finish in time; the next server will complete it"
            );
        }
    }

    async fn unfinished(&self, viewer: Viewer<'_>) -> Result<Vec<OperationId>, Failure> {
        let owner = match viewer {
            Viewer::Owner(owner) => Some(owner.clone()),
            Viewer::Operator => None,
        };
        let page =
            self.list(Filter { owner, ..Filter::unfinished() }, None, MAX_OPERATIONS).await?;
        Ok(page.operations.into_iter().map(|operation| operation.id).collect())
    }

    /// Returns when one of the operations may have ended.
    async fn wait_for_any_end(&self, operations: &[Operation], end: Instant) {
        let open = operations.iter().filter(|operation| !operation.state.is_final());
        let waits = open.map(|operation| match self.0.find(&operation.id) {
            Some(live) => Box::pin(Either::Left(wait_until_done(live))),
            // Operations of other servers send no events to this one.
            None => Box::pin(Either::Right(sleep(POLL_INTERVAL))),
        });
        let waits: Vec<_> = waits.collect();
        tokio::select! {
            // It would panic without futures. The caller waits only while an operation is open.
            _ = select_all(waits) => {}
            () = sleep_until(end) => {}
        }
    }
}

async fn wait_until_done(live: Arc<LiveOperation>) {
    live.wait_until_done().await;
}

impl Shared {
    fn cancel_timeout(&self) -> Duration {
        self.grace * 2 + SLACK
    }
}

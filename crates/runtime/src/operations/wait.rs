//! Waiting for operations, and ending them.

use std::{sync::Arc, time::Duration};

use catalog::Failure;
use futures_util::future::{Either, select_all};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::{LiveOperation, Operations, Shared, Viewer, recover};
use crate::{
    journal::Filter,
    operation::{Operation, OperationId, State},
};

/// How often operations of other servers on the crib are looked at.
const GLANCE: Duration = Duration::from_millis(200);
/// How long ending an operation may take beyond the grace of its processes.
const SLACK: Duration = Duration::from_secs(5);
/// The most operations that are waited for if none is named.
const MOST: usize = 1000;

/// How much is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// One has ended.
    Any,
    /// All have ended.
    All,
}

impl Operations {
    /// Waits until one or all of these have ended, or the time is over; without ids, those that the
    /// viewer has running. Answers all of them as they are then: with their outcomes, or their progress.
    pub async fn wait(
        &self,
        viewer: Viewer<'_>,
        ids: &[OperationId],
        until: Until,
        limit: Duration,
    ) -> Result<Vec<Operation>, Failure> {
        let ids = if ids.is_empty() { self.unfinished(viewer).await? } else { ids.to_vec() };
        let end = Instant::now() + limit.min(Duration::from_secs(365 * 24 * 3600));
        loop {
            let mut operations = Vec::with_capacity(ids.len());
            for id in &ids {
                operations.push(self.get(viewer, id).await?);
            }
            let ended = operations.iter().filter(|operation| operation.state.is_final()).count();
            let is_enough = ended == ids.len() || until == Until::Any && ended > 0;
            if is_enough || Instant::now() >= end {
                return Ok(operations);
            }
            self.next_end(&operations, end).await;
        }
    }

    /// Ends an operation with all of its processes, and answers it as it is then. What has ended
    /// stays as it is.
    pub async fn cancel(&self, viewer: Viewer<'_>, id: &OperationId) -> Result<Operation, Failure> {
        let operation = self.get(viewer, id).await?;
        if operation.state.is_final() {
            return Ok(operation);
        }
        match self.0.find(id) {
            Some(live) => {
                live.end("it was asked for");
                let _ = timeout(self.0.longest_end(), live.done()).await;
                Ok(live.snapshot())
            }
            None => {
                recover::end_elsewhere(&self.0, operation).await?;
                self.get(viewer, id).await
            }
        }
    }

    /// Ends whatever runs because the server ends, and waits until it has been taken down.
    pub async fn drain(&self) {
        let all = self.0.all();
        all.iter().for_each(|live| live.end("the server ended"));
        let ended = futures_util::future::join_all(all.iter().map(|live| live.done()));
        if timeout(self.0.longest_end(), ended).await.is_err() {
            tracing::error!("some operations did not end in time; the next server will find them");
        }
        self.0.tidying.close();
        if timeout(self.0.longest_end(), self.0.tidying.wait()).await.is_err() {
            tracing::error!(
                "what operations left was not removed in time; the next server will find it"
            );
        }
    }

    async fn unfinished(&self, viewer: Viewer<'_>) -> Result<Vec<OperationId>, Failure> {
        let owner = match viewer {
            Viewer::Owner(owner) => Some(owner.clone()),
            Viewer::Operator => None,
        };
        let states = State::ALL.into_iter().filter(|state| !state.is_final()).collect();
        let page = self.list(Filter { owner, states, ..Filter::default() }, None, MOST).await?;
        Ok(page.operations.into_iter().map(|operation| operation.id).collect())
    }

    /// Ends when one of these may have ended.
    async fn next_end(&self, operations: &[Operation], end: Instant) {
        let open = operations.iter().filter(|operation| !operation.state.is_final());
        let waits = open.map(|operation| match self.0.find(&operation.id) {
            Some(live) => Box::pin(Either::Left(done(live))),
            None => Box::pin(Either::Right(sleep(GLANCE))),
        });
        let waits: Vec<_> = waits.collect();
        tokio::select! {
            _ = select_all(waits) => {}
            () = sleep_until(end) => {}
        }
    }
}

async fn done(live: Arc<LiveOperation>) {
    live.done().await;
}

impl Shared {
    fn longest_end(&self) -> Duration {
        self.grace * 2 + SLACK
    }
}

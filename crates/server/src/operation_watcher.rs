//! Notifies clients when an operation has ended.

#![expect(deprecated, reason = "logging is deprecated, but legacy clients use it")]

use std::sync::Arc;

use rmcp::model::LoggingLevel;
use runtime::{Event, Operations, operation::Operation};
use serde_json::json;
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    task::JoinHandle,
};
use toolkit::Change;

use crate::{delivery::PendingResults, subscribers::Subscribers};

/// Notifies the owner's clients when an operation has ended, until it is dropped.
pub(crate) struct OperationWatcher(JoinHandle<()>);

impl OperationWatcher {
    pub(crate) fn start(
        operations: &Operations,
        subscribers: Arc<Subscribers>,
        pending: Arc<PendingResults>,
    ) -> Self {
        Self(tokio::spawn(watch(operations.subscribe(), subscribers, pending)))
    }
}

impl Drop for OperationWatcher {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn watch(
    mut events: Receiver<Event>,
    subscribers: Arc<Subscribers>,
    pending: Arc<PendingResults>,
) {
    loop {
        match events.recv().await {
            Ok(event) => {
                // A collected result was already part of a response.
                if event.operation.state.is_final() && !event.operation.collected {
                    pending.mark(&event.operation.owner.0);
                    let (subscribers, operation) = (subscribers.clone(), event.operation);
                    // Runs in a task of its own, so that a client that does not read cannot delay
                    // the others.
                    tokio::spawn(async move { notify(&subscribers, &operation).await });
                }
            }
            // The missed events may concern any owner.
            Err(RecvError::Lagged(_)) => pending.mark_all(),
            Err(RecvError::Closed) => return,
        }
    }
}

async fn notify(subscribers: &Arc<Subscribers>, operation: &Operation) {
    let data = json!({
        "message": builtin::summarize_operation(operation),
        "operation_id": operation.id,
        "state": operation.state,
    });
    subscribers.send_log(&operation.owner.0, LoggingLevel::Info, data).await;
    // Notifies clients of either era that watch the result as a resource.
    subscribers.notify(Change::Resource(builtin::operation_uri(&operation.id))).await;
}

//! What happens when an operation has ended: its owner's clients are told, as far as they can be.

#![expect(deprecated, reason = "logging is on its way out, but older clients have it")]

use std::sync::Arc;

use rmcp::model::LoggingLevel;
use runtime::{Event, operation::Operation};
use serde_json::json;
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    task::JoinHandle,
};
use toolkit::Change;

use crate::{Server, audience::Audience, delivery::Deliveries};

/// Tells clients of ends until it is dropped.
pub(crate) struct Watch(JoinHandle<()>);

impl Watch {
    pub(crate) fn new(server: &Server) -> Self {
        let events = server.operations().subscribe();
        Self(tokio::spawn(watch(events, server.audience.clone(), server.deliveries.clone())))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn watch(mut events: Receiver<Event>, audience: Arc<Audience>, deliveries: Arc<Deliveries>) {
    loop {
        match events.recv().await {
            Ok(event) => {
                // Whoever got the result with their answer need not be told.
                if event.operation.state.is_final() && !event.operation.collected {
                    deliveries.expect(&event.operation.owner.0);
                    let (audience, operation) = (audience.clone(), event.operation);
                    // A client that does not read must not keep the others waiting.
                    tokio::spawn(async move { tell(&audience, &operation).await });
                }
            }
            // What was missed may be anybody's.
            Err(RecvError::Lagged(_)) => deliveries.expect_all(),
            Err(RecvError::Closed) => return,
        }
    }
}

async fn tell(audience: &Arc<Audience>, operation: &Operation) {
    let data = json!({"message": builtin::summarize_operation(operation), "operation_id": operation.id, "state": operation.state});
    audience.inform(&operation.owner.0, LoggingLevel::Info, data).await;
    audience.announce(Change::Resource(builtin::operation_uri(&operation.id))).await;
}

//! The record of a new operation, which has to be there before anything of it runs.

use std::{sync::Arc, time::Duration};

use catalog::{ErrorType, Failure};
use tokio::{
    sync::oneshot,
    time::{sleep, timeout},
};

use super::Shared;
use crate::{
    journal::JournalError,
    operation::{Operation, State},
};

/// Maximum wait of a call for a locked journal. Many clients give up after a minute.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// The pause between attempts. The journal itself waits for some seconds in each.
const PAUSE: Duration = Duration::from_millis(50);

impl Shared {
    /// Records a new operation. Waits for a locked journal, but not longer than `limit`.
    pub(super) async fn record_begin(
        self: &Arc<Self>,
        operation: Operation,
        limit: Duration,
    ) -> Result<(), JournalError> {
        let (begun, receiver) = oneshot::channel();
        // Runs in a task of its own: a queued record is written even if this call stops waiting.
        tokio::spawn(Arc::clone(self).try_begin(operation, begun));
        match timeout(limit.min(MAX_WAIT), receiver).await {
            Ok(Ok(recorded)) => recorded,
            Ok(Err(_)) => Err(JournalError::Failed("recording failed".to_owned())),
            Err(_) => Err(JournalError::Locked),
        }
    }

    async fn try_begin(
        self: Arc<Self>,
        operation: Operation,
        begun: oneshot::Sender<Result<(), JournalError>>,
    ) {
        let recorded = loop {
            match self.journal.begin(operation.clone()).await {
                Err(JournalError::Locked) if !begun.is_closed() => sleep(PAUSE).await,
                recorded => break recorded,
            }
        };
        // The call was refused meanwhile, or its client is gone, so nothing of it will run.
        if let Err(Ok(())) = begun.send(recorded) {
            let message =
                format!("`{}` was not started: its call ended before this", operation.tool);
            let ended = Operation {
                state: State::Cancelled,
                ended: Some(self.clock.now()),
                outcome: Some(Failure::new(ErrorType::Cancelled, message).into()),
                // The caller got an error already, or is gone.
                collected: true,
                ..operation
            };
            self.retry(ended).await;
        }
    }
}

//! The end of an operation: recorded first, then published.

use std::{sync::Arc, time::Duration};

use catalog::{Content, Outcome};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{LiveOperation, Operations, Shared};
use crate::{
    journal::JournalError,
    operation::{Operation, State},
};

/// The pauses between attempts to record an end.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const MAX_PAUSE: Duration = Duration::from_secs(30);

impl Operations {
    /// Records the outcome of an operation, then publishes it. If the journal fails, the outcome is
    /// published all the same, kept in memory, and recording is retried.
    pub(crate) async fn finish(&self, live: &Arc<LiveOperation>, outcome: Outcome) {
        self.0.finish(live, outcome).await;
    }
}

impl Shared {
    async fn finish(self: &Arc<Self>, live: &Arc<LiveOperation>, outcome: Outcome) {
        let ended = self.build_ended(live, outcome);
        if ended.output_bytes > 0 {
            self.growth.add(ended.output_bytes);
        }
        match self.journal.finish(ended.clone()).await {
            Ok(true) => self.close(live, ended),
            // Another server ended it first: its record counts.
            Ok(false) => {
                let known = self.journal.get(live.id().clone()).await.ok().flatten();
                self.close(live, known.unwrap_or(ended));
            }
            Err(error) => {
                tracing::error!(operation = %live.id(), %error, "the end of an operation could not be recorded yet");
                // The work is done and has had its effects. Withholding the result would make the
                // owner repeat it.
                live.close(mark_unrecorded(ended.clone(), &error));
                // Without the remark that it is not recorded, which is false as soon as this
                // succeeds.
                tokio::spawn(Arc::clone(self).retry(ended));
            }
        }
    }

    fn build_ended(&self, live: &LiveOperation, mut outcome: Outcome) -> Operation {
        let state = State::from_outcome(&outcome);
        live.redaction().redact_outcome(&mut outcome);
        if let (State::Cancelled, Some(reason)) = (state, live.reason()) {
            add_reason(&mut outcome, reason);
        }
        let mut operation = live.snapshot();
        if state == State::Completed {
            operation.progress.fraction = Some(1.0);
        }
        Operation {
            state,
            ended: Some(self.clock.now()),
            elapsed: live.elapsed(),
            outcome: Some(outcome),
            // Decided here, before the record is written: later the caller may have stopped
            // waiting.
            collected: live.settle(),
            output_bytes: self.outputs.take_bytes(live.id()),
            ..operation
        }
    }

    /// Records an end, with pauses until that succeeds.
    pub(super) async fn retry(self: Arc<Self>, ended: Operation) {
        let mut pause = FIRST_PAUSE;
        loop {
            sleep(pause).await;
            if self.journal.finish(ended.clone()).await.is_ok() {
                self.live().remove(&ended.id);
                return;
            }
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    fn close(&self, live: &Arc<LiveOperation>, ended: Operation) {
        // Set before it is removed, so that a reader that still finds it sees the end.
        live.close(ended);
        self.live().remove(live.id());
    }
}

fn add_reason(outcome: &mut Outcome, reason: &str) {
    if let Some(Value::Object(object)) = &mut outcome.structured {
        object.insert("reason".to_owned(), reason.into());
    }
    outcome.content.push(Content::Text(format!("It was cancelled: {reason}.")));
}

/// Adds to the outcome that it is not recorded.
fn mark_unrecorded(mut operation: Operation, error: &JournalError) -> Operation {
    let Some(outcome) = &mut operation.outcome else {
        return operation;
    };
    if let Some(Value::Object(object)) = &mut outcome.structured {
        object.insert("not_recorded".to_owned(), json!(error.to_string()));
    }
    outcome.content.push(Content::Text(format!("This result is not recorded yet: {error}.")));
    operation
}

//! The client of a native tool that runs as an operation: progress and questions go to the operation,
//! everything else to the client that made the call.

use std::sync::Arc;

use serde_json::Value;
use toolkit::{
    Answer, BoxFuture, Capability, Change, Client, Context, Interrupt, Level, Progress, Question,
};

use super::LiveOperation;
use crate::operation;

/// Represents an operation to the tool that it runs.
pub(crate) struct OperationClient {
    live: Arc<LiveOperation>,
    caller: Context,
}

impl OperationClient {
    /// The context of an operation, cancelled by the operation's own token.
    pub(crate) fn context(live: &Arc<LiveOperation>, caller: Context) -> Context {
        let owner = Arc::clone(caller.owner());
        Context::new(Arc::new(Self { live: Arc::clone(live), caller }), live.cancel_token().clone())
            .with_owner(owner)
    }
}

impl Client for OperationClient {
    fn report_progress(&self, progress: Progress) -> BoxFuture<'_, ()> {
        let total = progress.total.filter(|total| *total > 0.0);
        let fraction = total.map(|total| (progress.done / total).clamp(0.0, 1.0));
        self.live.update_progress(
            None,
            Some(operation::Progress { fraction, message: progress.message }),
        );
        Box::pin(std::future::ready(()))
    }

    fn log(&self, level: Level, data: Value) -> BoxFuture<'_, ()> {
        Box::pin(self.caller.log(level, data))
    }

    fn ask(
        &self,
        questions: Vec<(String, Question)>,
        // The state is for clients that repeat the request with the answer; an operation simply
        // waits.
        _: Option<Vec<u8>>,
    ) -> BoxFuture<'_, Result<Vec<Answer>, Interrupt>> {
        // A client that cannot follow the operation would never learn of the question.
        if !self.caller.supports(Capability::Tasks) {
            return Box::pin(std::future::ready(Err(Interrupt::MissingCapability(
                Capability::Tasks,
            ))));
        }
        Box::pin(self.live.ask(questions))
    }

    fn speaks_for_person(&self) -> bool {
        self.caller.speaks_for_person()
    }

    fn saved_state(&self) -> Option<Vec<u8>> {
        None
    }

    fn supports(&self, capability: Capability) -> bool {
        self.caller.supports(capability)
    }

    fn notify_changed(&self, change: Change) -> BoxFuture<'_, ()> {
        Box::pin(self.caller.notify_changed(change))
    }
}

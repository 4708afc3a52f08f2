//! What the audit will say about a call, from its beginning on.

use std::{
    sync::Arc,
    time::{Instant, SystemTime},
};

use catalog::Tool;

use crate::{
    Call, Runtime,
    audit::Entry,
    digest::arguments_digest,
    operation::{ApprovalId, OperationId, Owner},
};

/// The beginning of a line of the audit.
pub(super) struct Record {
    time: SystemTime,
    begun: Instant,
    owner: Owner,
    tool: Arc<Tool>,
    arguments: String,
}

impl Record {
    pub(super) fn of(runtime: &Runtime, call: &Call) -> Self {
        Self {
            time: runtime.settings.clock.now(),
            begun: Instant::now(),
            owner: call.owner.clone(),
            tool: Arc::clone(&call.tool),
            arguments: arguments_digest(&call.arguments),
        }
    }

    pub(super) fn entry(
        self,
        decision: &'static str,
        approval: Option<ApprovalId>,
        operation: Option<OperationId>,
        outcome: String,
    ) -> Entry {
        Entry {
            time: self.time,
            owner: self.owner,
            tool: self.tool,
            arguments_digest: self.arguments,
            decision,
            approval,
            operation,
            outcome,
            duration: self.begun.elapsed(),
        }
    }
}

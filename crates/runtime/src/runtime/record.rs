//! The audit line of a call while it runs.

use std::{
    sync::Arc,
    time::{Instant, SystemTime},
};

use catalog::Tool;

use crate::{
    Call,
    audit::Entry,
    digest::keyed_arguments_digest,
    operation::{ApprovalId, OperationId, Owner},
};

/// What is known of an audit line when its call begins.
pub(super) struct Record {
    time: SystemTime,
    begun: Instant,
    owner: Owner,
    tool: Arc<Tool>,
    arguments: String,
}

impl Record {
    pub(super) fn of(time: SystemTime, call: &Call, key: &[u8]) -> Self {
        Self {
            time,
            begun: Instant::now(),
            owner: call.owner.clone(),
            tool: Arc::clone(&call.tool),
            arguments: keyed_arguments_digest(key, &call.arguments),
        }
    }

    pub(super) fn into_entry(
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
            sandbox: None,
            outcome,
            duration: self.begun.elapsed(),
        }
    }
}

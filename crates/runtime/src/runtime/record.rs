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

/// What is known of the audit lines of a call when it begins.
#[derive(Clone)]
pub(super) struct Record {
    time: SystemTime,
    begun: Instant,
    owner: Owner,
    tool: Arc<Tool>,
    arguments: String,
    /// Once a line says that it has started.
    call: Option<u64>,
}

impl Record {
    pub(super) fn of(time: SystemTime, call: &Call, key: &[u8]) -> Self {
        Self {
            time,
            begun: Instant::now(),
            owner: call.owner.clone(),
            tool: Arc::clone(&call.tool),
            arguments: keyed_arguments_digest(key, &call.arguments),
            call: None,
        }
    }

    /// The line of a call that is about to run.
    pub(super) fn start(
        &mut self,
        call: u64,
        decision: &'static str,
        approval: Option<ApprovalId>,
        operation: Option<OperationId>,
    ) -> Entry {
        self.call = Some(call);
        self.clone().into_entry(decision, approval, operation, "started".to_owned())
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
            call: self.call,
        }
    }
}

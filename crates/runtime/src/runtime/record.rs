//! The audit line of a call while it runs.

use std::{
    sync::Arc,
    time::{Instant, SystemTime},
};

use catalog::{Outcome, Tool};

use crate::{
    Call, Runtime,
    audit::{Entry, to_loggable},
    call::AppliedLevel,
    digest::keyed_arguments_digest,
    journal::RequestDetails,
    log::{CallLog, outcome_kind},
    operation::{ApprovalId, OperationId, Owner},
};

/// The data for the last audit line of an operation, besides its outcome.
pub(super) struct OperationRecord {
    pub(super) record: Record,
    pub(super) decision: &'static str,
    pub(super) approval: Option<ApprovalId>,
    pub(super) operation: OperationId,
    pub(super) level: AppliedLevel,
}

impl Runtime {
    /// Writes the audit line for the end of an operation.
    pub(super) fn record_end(&self, ended: OperationRecord, outcome: &Outcome) {
        let OperationRecord { record, decision, approval, operation, level } = ended;
        let kind = outcome_kind(outcome);
        let entry = record.into_entry(decision, approval, Some(operation), kind);
        self.audit.add(Entry { sandbox: level.get(), ..entry });
    }
}

/// The parts of a call's audit lines that are known when it begins.
#[derive(Clone)]
pub(super) struct Record {
    time: SystemTime,
    begun: Instant,
    owner: Owner,
    tool: Arc<Tool>,
    arguments_digest: String,
    /// Present until the first line is written.
    request: Option<RequestDetails>,
    /// Once a line says that it has started.
    call: Option<u64>,
}

impl Record {
    pub(super) fn of(time: SystemTime, call: &Call, key: &[u8], log: &CallLog) -> Self {
        let is_other = *call.caller != *call.owner.0;
        let request = RequestDetails {
            arguments: to_loggable(&call.tool, &call.arguments, log.redaction()),
            client: call.client.as_deref().map(str::to_owned),
            caller: is_other.then(|| call.caller.to_string()),
            source: call.tool.origin.source.as_str().to_owned(),
        };
        Self {
            time,
            begun: Instant::now(),
            owner: call.owner.clone(),
            tool: Arc::clone(&call.tool),
            arguments_digest: keyed_arguments_digest(key, &call.arguments),
            request: Some(request),
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
        let entry = self.clone().into_entry(decision, approval, operation, "started".to_owned());
        // The last line has the same `call` and need not repeat the arguments.
        self.request = None;
        entry
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
            arguments_digest: self.arguments_digest,
            request: self.request,
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

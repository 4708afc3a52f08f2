//! Joins the first and the last line of each call.

use std::{
    collections::HashMap,
    time::{Duration, SystemTime},
};

use super::{LogEvent, LogRecord, LogState, line::Line};

/// The running calls, by the key that their lines share.
#[derive(Default)]
pub(super) struct Joiner {
    running: HashMap<String, LogRecord>,
    /// The call key of each operation, by operation id.
    operations: HashMap<String, String>,
}

impl Joiner {
    /// Adds a line. Returns the record that it completes, if any.
    pub(super) fn add(&mut self, line: &Line) -> Option<LogRecord> {
        let record = to_record(line);
        if record.state == LogState::Running {
            // Without a key, the last line could not be matched, and the call would seem to run
            // forever.
            let key = line.call.clone()?;
            if let Some(operation) = &line.operation {
                self.operations.insert(operation.clone(), key.clone());
            }
            self.running.insert(key, record);
            return None;
        }
        let known = line.operation.as_ref().and_then(|operation| self.operations.remove(operation));
        let start = line.call.as_ref().or(known.as_ref()).and_then(|key| self.running.remove(key));
        Some(match start {
            Some(start) => LogRecord {
                state: record.state,
                duration: record.duration,
                operation: record.operation.or(start.operation),
                ..start
            },
            None => record,
        })
    }

    /// The record of the operation that a line starts.
    pub(super) fn find_started(&self, line: &Line) -> Option<&LogRecord> {
        let is_start = line.outcome == "started" && line.operation.is_some();
        is_start.then(|| self.running.get(line.call.as_deref()?)).flatten()
    }

    /// The records of calls that have not ended.
    pub(super) fn into_running(self) -> impl Iterator<Item = LogRecord> {
        self.running.into_values()
    }
}

fn to_record(line: &Line) -> LogRecord {
    let is_ruling = line.outcome == "ruled";
    LogRecord {
        time: SystemTime::UNIX_EPOCH + Duration::from_millis(line.time_ms),
        event: match (is_ruling, line.decision.as_str(), &line.operation) {
            (true, "approved", _) => LogEvent::Approval,
            (true, ..) => LogEvent::Denial,
            (false, _, Some(_)) => LogEvent::Operation,
            (false, _, None) => LogEvent::Call,
        },
        tool: line.tool.clone(),
        arguments: line.arguments.clone(),
        state: to_state(line),
        duration: Duration::from_millis(line.duration_ms),
        owner: line.owner.clone(),
        caller: line.by.clone().or_else(|| line.caller.clone()),
        client: line.client.clone(),
        operation: line.operation.clone(),
        approval: line.approval.clone(),
        source: line.source.clone(),
    }
}

fn to_state(line: &Line) -> LogState {
    let outcome = line.outcome.clone();
    match (outcome.as_str(), line.decision.as_str()) {
        ("started", _) => LogState::Running,
        ("interrupted", _) => LogState::Asked,
        ("ok" | "ruled", _) => LogState::Ok,
        ("cancelled", _) => LogState::Cancelled,
        ("lost", _) => LogState::Lost,
        (_, "ask" | "deny" | "denied") => LogState::Refused(outcome),
        _ => LogState::Failed(outcome),
    }
}

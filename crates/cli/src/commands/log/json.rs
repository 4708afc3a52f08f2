//! `log --json`: one versioned object per line.

use host::{LogEvent, LogRecord, LogState};
use jiff::{Timestamp, Unit};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::terminal;

/// A record, version 1. Absent fields are left out; a call that has not ended has no outcome.
#[derive(Serialize)]
struct RecordV1<'a> {
    version: u32,
    time: String,
    event: &'static str,
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_type: Option<&'a str>,
    duration_ms: u128,
    owner: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
}

pub(super) fn print(record: &LogRecord) {
    let time = Timestamp::try_from(record.time).unwrap_or_default();
    let (outcome, error_type) = match &record.state {
        LogState::Running | LogState::Asked => (None, None),
        LogState::Ok if record.event == LogEvent::Denial => (Some("refused"), Some("denied")),
        LogState::Ok => (Some("ok"), None),
        LogState::Failed(error_type) => (Some("error"), Some(error_type.as_str())),
        LogState::Refused(error_type) => (Some("refused"), Some(error_type.as_str())),
        LogState::Cancelled => (Some("cancelled"), Some("cancelled")),
        LogState::Lost => (Some("lost"), Some("lost")),
    };
    terminal::json_line(&RecordV1 {
        version: 1,
        time: time.round(Unit::Millisecond).unwrap_or(time).to_string(),
        event: match record.event {
            LogEvent::Call => "call",
            LogEvent::Operation => "operation",
            LogEvent::Approval => "approval",
            LogEvent::Denial => "denial",
        },
        tool: &record.tool,
        arguments: record.arguments.as_ref(),
        outcome,
        error_type,
        duration_ms: record.duration.as_millis(),
        owner: &record.owner,
        caller: record.caller.as_deref(),
        client: record.client.as_deref(),
        operation_id: record.operation.as_deref(),
        approval_id: record.approval.as_deref(),
        source: record.source.as_deref(),
    });
}

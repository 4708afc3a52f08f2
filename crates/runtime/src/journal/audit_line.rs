//! One line of the audit log.

use std::time::SystemTime;

use serde::{Serialize, Serializer};

use crate::operation::{ApprovalId, OperationId, Owner};

/// One line of the audit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditLine {
    /// When the call was made, in milliseconds since 1970.
    #[serde(rename = "time_ms", serialize_with = "millis")]
    pub time: SystemTime,
    /// Who called.
    pub owner: Owner,
    /// What was called.
    pub tool: String,
    /// The digest of its definition.
    pub tool_digest: String,
    /// The digest of the arguments.
    pub arguments_digest: String,
    /// What was decided about it.
    pub decision: &'static str,
    /// Who decided, where a person did so outside of any call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The approval that this was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalId>,
    /// The operation that it became.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// `ok`, `started`, `ruled` where only a decision was made, or the kind of failure.
    pub outcome: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

fn millis<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    serializer.serialize_u64(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

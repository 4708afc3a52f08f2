//! One line of the audit log. `docs/log.md` describes the format for readers.

use std::time::SystemTime;

use process::SandboxLevel;
use serde::{Serialize, Serializer};
use toolkit::Arguments;

use crate::operation::{ApprovalId, OperationId, Owner};

/// One line of the audit log. Secret arguments are masked; the digest identifies them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditLine {
    /// When the call was made, in milliseconds since 1970.
    #[serde(rename = "time_ms", serialize_with = "serialize_millis")]
    pub time: SystemTime,
    /// The owner of the call.
    pub owner: Owner,
    /// The name of the tool.
    pub tool: String,
    /// The digest of its definition.
    pub tool_digest: String,
    /// The keyed digest of the complete arguments.
    pub arguments_digest: String,
    /// Fields that are the same in all lines of a call and are written only in the first one.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestDetails>,
    /// `allow`, `approved`, `ask`, `deny`, `denied` or `invalid`.
    pub decision: &'static str,
    /// How a person decided: at the `terminal`, in a `client`, or by a script with the `credential`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The approval that was used or requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalId>,
    /// The operation that it became.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// The sandbox level of its programs, the weakest if it ran several. Absent if it ran none, as
    /// native tools do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxLevel>,
    /// `started`, `ok`, `ruled` where only a decision was made, or the kind of failure.
    pub outcome: String,
    /// The duration in milliseconds up to now.
    pub duration_ms: u64,
    /// The same in the lines of one call: when it started and when it ended. Absent if it has only
    /// one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

/// The arguments and the client of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RequestDetails {
    /// The arguments, with secrets masked and long values truncated.
    pub arguments: Arguments,
    /// The client's name and version from `clientInfo`, if it sent them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Distinguishes clients of the same owner. Absent if it equals the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Where the tool is defined.
    pub source: String,
}

fn serialize_millis<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    serializer.serialize_u64(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

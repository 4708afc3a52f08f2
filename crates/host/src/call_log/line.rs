//! Parses a line of the audit log. Other versions of the program may have written it, so unknown
//! fields are ignored and most fields are optional.

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Line {
    pub(super) time_ms: u64,
    #[serde(default)]
    pub(super) owner: String,
    pub(super) tool: String,
    #[serde(default)]
    pub(super) decision: String,
    pub(super) by: Option<String>,
    pub(super) approval: Option<String>,
    pub(super) operation: Option<String>,
    pub(super) outcome: String,
    #[serde(default)]
    pub(super) duration_ms: u64,
    pub(super) call: Option<String>,
    pub(super) arguments: Option<Map<String, Value>>,
    pub(super) client: Option<String>,
    pub(super) caller: Option<String>,
    pub(super) source: Option<String>,
}

impl Line {
    /// Parses a line; `None` if it is malformed, for example truncated by a full disk.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }
}

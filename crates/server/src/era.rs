//! Which of the two ways of talking a request uses. Nothing is inferred from earlier requests
//! beyond what the protocol itself fixes in its handshake.

use rmcp::{RoleServer, model::ProtocolVersion, service::RequestContext};

/// Which of the two ways of talking a request uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// Revisions with the initialize handshake, up to 2025-11-25.
    Legacy,
    /// Revisions in which each request says everything, from 2026-07-28.
    Modern,
}

impl Era {
    /// The era of one request.
    pub(crate) fn of(cx: &RequestContext<RoleServer>) -> Self {
        match cx.protocol_version() {
            Some(version) if version >= ProtocolVersion::V_2026_07_28 => Self::Modern,
            _ => Self::Legacy,
        }
    }
}

//! The two eras of the protocol.

use rmcp::{RoleServer, model::ProtocolVersion, service::RequestContext};

/// The two eras of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// Revisions with the `initialize` handshake, up to 2025-11-25.
    Legacy,
    /// Revisions in which each request is self-contained, from 2026-07-28.
    Modern,
}

impl Era {
    /// The era of one request. Revision 2026-07-28 forbids inferring anything from earlier requests
    /// on the connection, so it is determined for each one.
    pub(crate) fn of(cx: &RequestContext<RoleServer>) -> Self {
        match cx.protocol_version() {
            Some(version) if version >= ProtocolVersion::V_2026_07_28 => Self::Modern,
            _ => Self::Legacy,
        }
    }
}

//! The names of the protocol's methods.

use rmcp::{ErrorData, model::ErrorCode};

/// Methods that need no open connection. The protocol library answers them itself.
const OPENING: [&str; 3] = ["initialize", "ping", "server/discover"];

/// The other methods, of all revisions.
const METHODS: [&str; 15] = [
    "completion/complete",
    "logging/setLevel",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// Methods that revision 2026-07-28 removed.
const REMOVED: [&str; 3] = ["logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// Whether any revision of the protocol has this method.
pub(crate) fn is_known(name: &str) -> bool {
    METHODS.contains(&name) || OPENING.contains(&name)
}

/// The error for a request that the protocol library could not match to a method.
///
/// It passes a known method with malformed parameters on as an unknown request, and would answer
/// -32601 (HTTP 404), from which clients may conclude that the feature is not supported.
pub(crate) fn unmatched_method_error(name: &str, is_modern: bool) -> ErrorData {
    // A removed method stays unknown to modern clients, malformed or not. `initialize` is not in
    // the list for the same reason: the conformance suite expects 404 for a modern one.
    // -32602, so that a client corrects its parameters instead of giving up on the feature.
    if METHODS.contains(&name) && !(is_modern && REMOVED.contains(&name)) {
        return ErrorData::invalid_params(format!("malformed parameters for `{name}`"), None);
    }
    unknown_method(name)
}

/// The error for an unknown method.
pub(crate) fn unknown_method(name: &str) -> ErrorData {
    ErrorData::new(
        ErrorCode::METHOD_NOT_FOUND,
        format!("unknown method `{}`", name.escape_debug()),
        None,
    )
}

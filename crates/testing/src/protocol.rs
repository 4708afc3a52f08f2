//! Messages of the two eras of the protocol.

use serde_json::{Value, json};

/// The last version with a handshake and sessions.
pub const LEGACY: &str = "2025-11-25";

/// The first version whose requests are self-contained.
pub const MODERN: &str = "2026-07-28";

/// A request with an id.
pub fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A notification without parameters.
pub fn notification(method: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": method})
}

/// The parameters of `initialize`, the first request of a legacy client.
pub fn initialize_params(capabilities: Value) -> Value {
    json!({"protocolVersion": LEGACY, "capabilities": capabilities, "clientInfo": {"name": "test", "version": "1"}})
}

/// The `_meta` of every request of a modern client.
pub fn request_meta(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

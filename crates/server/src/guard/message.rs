//! A line as a message: a pure function of its bytes, and the first thing that hostile input meets.

use rmcp::{
    ErrorData,
    model::{CallToolRequest, ClientJsonRpcMessage, ClientRequest, JsonRpcRequest, RequestId},
};
use serde_json::Value;

use crate::{dialect, listening};

/// What a line turned out to be.
#[derive(Debug)]
pub enum Incoming {
    /// A message.
    Message(Box<ClientJsonRpcMessage>),
    /// Something that is to be answered with an error.
    Refused {
        /// The id of the request, if it has a readable one.
        id: Option<RequestId>,
        /// The error.
        error: ErrorData,
    },
    /// Something that is passed over: an empty line, a broken notification or answer.
    Nothing,
}

/// Reads one line.
pub fn read(line: &[u8]) -> Incoming {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Incoming::Nothing;
    }
    if let Some(call) = as_call(line) {
        return Incoming::Message(Box::new(call));
    }
    match serde_json::from_slice(line) {
        Ok(message) => Incoming::Message(Box::new(detoured(message, line))),
        Err(_) => explain(line),
    }
}

/// A call, which most messages are. To find out which of all messages a line is takes several times as long. Lines that
/// have a member of an answer too, perhaps, are left to that.
fn as_call(line: &[u8]) -> Option<ClientJsonRpcMessage> {
    let text = str::from_utf8(line).ok()?;
    if !text.contains(r#""tools/call""#)
        || text.contains(r#""result""#)
        || text.contains(r#""error""#)
    {
        return None;
    }
    let JsonRpcRequest { id, request, .. } =
        serde_json::from_str::<JsonRpcRequest<CallToolRequest>>(text).ok()?;
    Some(ClientJsonRpcMessage::Request(JsonRpcRequest::new(
        id,
        ClientRequest::CallToolRequest(request),
    )))
}

/// The library does not know that tasks can be listened to: such requests go around it.
fn detoured(message: ClientJsonRpcMessage, line: &[u8]) -> ClientJsonRpcMessage {
    let is_listen = matches!(
        &message,
        ClientJsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::SubscriptionsListenRequest(_))
    );
    let detour =
        || serde_json::from_value(listening::detour(serde_json::from_slice(line).ok()?)?).ok();
    is_listen.then(detour).flatten().unwrap_or(message)
}

/// Says what is wrong with a line that is not a message.
fn explain(line: &[u8]) -> Incoming {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            return Incoming::Refused {
                id: None,
                error: ErrorData::parse_error(format!("not JSON: {error}"), None),
            };
        }
    };
    let has = |member: &str| value.get(member).is_some();
    let is_answer = !has("method") && (has("result") || has("error"));
    let is_notification = has("method") && !has("id");
    if is_answer || is_notification {
        // Answering these could go back and forth for ever.
        return Incoming::Nothing;
    }
    let message = match value.is_array() {
        true => "batches are not part of the protocol; send one message a line",
        false => "not a JSON-RPC 2.0 message",
    };
    let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let in_dialect = || {
        let method = value["method"].as_str().filter(|method| dialect::speaks(method))?;
        dialect::translate(id.as_ref()?, method, value.get("params").cloned()).err()
    };
    let error = in_dialect().unwrap_or_else(|| ErrorData::invalid_request(message, None));
    Incoming::Refused { id, error }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ClientJsonRpcMessage;

    use super::{Incoming, as_call, read};

    fn refusal(line: &str) -> Option<(i32, Option<String>)> {
        match read(line.as_bytes()) {
            Incoming::Refused { id, error } => Some((error.code.0, id.map(|id| id.to_string()))),
            _ => None,
        }
    }

    #[test]
    fn tells_broken_json_from_broken_messages() {
        assert_eq!(refusal("{"), Some((-32700, None)));
        assert_eq!(refusal("[]"), Some((-32600, None)));
        assert_eq!(refusal("3"), Some((-32600, None)));
        assert_eq!(refusal(r#"{"id": 7}"#), Some((-32600, Some("7".into()))));
        assert_eq!(
            refusal(r#"{"jsonrpc": "1.0", "id": "x", "method": "ping"}"#),
            Some((-32600, Some("x".into())))
        );
        assert_eq!(refusal(&"[".repeat(100_000)), Some((-32700, None)));
    }

    #[test]
    fn a_call_is_read_as_any_other_message_would_be() {
        let call = |id: &str, params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
        };
        for line in [
            call("1", r#"{"name":"a"}"#),
            call(r#""x""#, r#"{"name":"a","arguments":{"n":1e40,"t":"\u00e9","tools/call":[{}]}}"#),
            call(
                "2",
                r#"{"_meta":{"progressToken":7,"io.modelcontextprotocol/logLevel":"info"},"name":"a","arguments":{}}"#,
            ),
        ] {
            let written = |message: ClientJsonRpcMessage| {
                serde_json::to_string(&message).expect("plain data")
            };
            let call = as_call(line.as_bytes()).expect("a call");
            assert_eq!(
                written(call),
                written(serde_json::from_str(&line).expect("a message")),
                "{line}"
            );
        }
        for line in [
            call("null", r#"{"name":"a"}"#),
            call("1", r#"{"name":3}"#),
            call("1", r#"{"name":"a"},"error":{}"#),
        ] {
            assert!(as_call(line.as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn passes_over_what_must_not_be_answered() {
        for line in [
            "",
            " \r",
            r#"{"jsonrpc":"2.0","error":3}"#,
            r#"{"jsonrpc":"1.0","method":"notifications/x"}"#,
        ] {
            assert!(matches!(read(line.as_bytes()), Incoming::Nothing), "{line}");
        }
    }

    #[test]
    fn reads_messages_with_a_byte_order_mark_and_a_carriage_return() {
        let line = "\u{FEFF}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r";
        assert!(matches!(read(line.as_bytes()), Incoming::Message(_)));
    }
}

//! Parses a line into a message: a pure function, and the first code that hostile input reaches.

use rmcp::{
    ErrorData,
    model::{CallToolRequest, ClientJsonRpcMessage, ClientRequest, JsonRpcRequest, RequestId},
};
use serde::Deserialize;
use serde_json::Value;

use crate::{camel_case, task_subscriptions};

/// The result of parsing a line.
#[derive(Debug)]
pub enum Incoming {
    /// A message for the protocol library.
    Message(Box<ClientJsonRpcMessage>),
    /// To be answered with an error.
    Invalid {
        /// The id of the request, if it could be read.
        id: Option<RequestId>,
        /// The error to answer with.
        error: ErrorData,
    },
    /// To be ignored: an empty line, a malformed notification or a malformed response.
    Ignored,
}

/// Maximum number of values in a message. Each takes 32 bytes, several times: while it is parsed, and
/// for each copy of the arguments.
const MAX_VALUES: usize = 2_000_000;
/// An object takes as much memory as this many other values.
const VALUES_PER_OBJECT: usize = 12;
/// What a client reads about it.
pub(crate) const TOO_MANY_VALUES: &str =
    "the message has too many values; send less at a time, or a long list as one string";

/// Whether a message would take far more memory than its length: 16 MiB can be five million empty
/// arrays, which are a gigabyte once parsed.
pub(crate) fn has_too_many_values(message: &[u8]) -> bool {
    // A short one cannot, even if it consists of empty objects. This is the case for all usual messages.
    if message.len() < MAX_VALUES / VALUES_PER_OBJECT {
        return false;
    }
    let (mut values, mut is_in_string, mut is_escaped) = (0, false, false);
    for byte in message {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_in_string,
            b'"' => is_in_string = !is_in_string,
            b'{' if !is_in_string => values += VALUES_PER_OBJECT,
            b',' | b'[' if !is_in_string => values += 1,
            _ => {}
        }
    }
    values > MAX_VALUES
}

/// Parses one line. Accepts a byte order mark before it and a carriage return after it.
pub fn parse_line(line: &[u8]) -> Incoming {
    // Scripts on Windows write both.
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Incoming::Ignored;
    }
    if has_too_many_values(line) {
        let id = serde_json::from_slice::<IdOnly>(line).ok().and_then(|only| only.id);
        let error = ErrorData::invalid_request(TOO_MANY_VALUES, None);
        return Incoming::Invalid { id, error };
    }
    if let Some(call) = parse_call(line) {
        return Incoming::Message(Box::new(call));
    }
    match serde_json::from_slice(line) {
        Ok(message) => Incoming::Message(Box::new(reroute(message, line))),
        Err(_) => explain_invalid(line),
    }
}

/// Parses a line as a `tools/call` request, the most frequent message. The general parser tries all
/// methods in turn and takes several times as long. A line that may also be a response is left to
/// it, so that both accept the same messages.
fn parse_call(line: &[u8]) -> Option<ClientJsonRpcMessage> {
    let text = str::from_utf8(line).ok()?;
    if !text.contains(r#""tools/call""#)
        // A message with `result` or `error` may be a response; the strings may also appear in
        // arguments, which only costs the fast path.
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

/// Rewrites `subscriptions/listen` with task ids, see [`task_subscriptions`].
fn reroute(message: ClientJsonRpcMessage, line: &[u8]) -> ClientJsonRpcMessage {
    let is_listen = matches!(
        &message,
        ClientJsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::SubscriptionsListenRequest(_))
    );
    let rewrite = || {
        let message = task_subscriptions::reroute(serde_json::from_slice(line).ok()?)?;
        serde_json::from_value(message).ok()
    };
    is_listen.then(rewrite).flatten().unwrap_or(message)
}

/// The id of a message, read without parsing the rest.
#[derive(Deserialize)]
struct IdOnly {
    id: Option<RequestId>,
}

/// Explains why a line is not a message. The protocol library would ignore it, and the client would
/// wait for a response.
fn explain_invalid(line: &[u8]) -> Incoming {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            // A number that is too large for any type is valid JSON: the request can be answered.
            let id = serde_json::from_slice::<IdOnly>(line).ok().and_then(|only| only.id);
            return Incoming::Invalid {
                id,
                error: ErrorData::parse_error(format!("cannot be read as JSON: {error}"), None),
            };
        }
    };
    let has = |member: &str| value.get(member).is_some();
    let is_response = !has("method") && (has("result") || has("error"));
    let is_notification = has("method") && !has("id");
    if is_response || is_notification {
        // An error in response to these could start an endless exchange.
        return Incoming::Ignored;
    }
    let message = if value.is_array() {
        "batches are not part of the protocol; send one message per line"
    } else {
        "not a JSON-RPC 2.0 message"
    };
    let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    // The wrong parameters of a camel-case request make it no message at all, but the client
    // expects an error about them.
    let camel_case_error = || {
        let method = value["method"].as_str().filter(|name| camel_case::is_camel_case(name))?;
        camel_case::translate(id.as_ref()?, method, value.get("params").cloned()).err()
    };
    let error = camel_case_error().unwrap_or_else(|| ErrorData::invalid_request(message, None));
    Incoming::Invalid { id, error }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ClientJsonRpcMessage;

    use super::{Incoming, parse_call, parse_line};

    fn error(line: &str) -> Option<(i32, Option<String>)> {
        match parse_line(line.as_bytes()) {
            Incoming::Invalid { id, error } => Some((error.code.0, id.map(|id| id.to_string()))),
            _ => None,
        }
    }

    #[test]
    fn distinguishes_invalid_json_from_invalid_messages() {
        assert_eq!(error("{"), Some((-32700, None)));
        assert_eq!(error("[]"), Some((-32600, None)));
        assert_eq!(error("3"), Some((-32600, None)));
        assert_eq!(error(r#"{"id": 7}"#), Some((-32600, Some("7".into()))));
        assert_eq!(
            error(r#"{"jsonrpc": "1.0", "id": "x", "method": "ping"}"#),
            Some((-32600, Some("x".into())))
        );
        assert_eq!(error(&"[".repeat(100_000)), Some((-32700, None)));
    }

    #[test]
    fn rejects_a_number_that_is_too_large() {
        let digits = "9".repeat(100_000);
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"a","arguments":{{"n":{digits}}}}}}}"#
        );
        assert_eq!(error(&line), Some((-32700, Some("7".into()))));
    }

    #[test]
    fn rejects_a_message_with_too_many_values() {
        let line = |list: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"a","arguments":{{"n":[{list}]}}}}}}"#
            )
        };
        for value in ["[],", "1,", "{},"] {
            let many = line(value.repeat(2_100_000).trim_end_matches(','));
            assert_eq!(error(&many), Some((-32600, Some("7".into()))), "{value}");
        }
        // As many commas, but in a text.
        let text = format!(r#""a\"{}""#, "[,{".repeat(2_000_000));
        assert_eq!(error(&line(&text)), None);
        assert_eq!(error(&line(vec!["1"; 1_000_000].join(",").as_str())), None);
    }

    #[test]
    fn parses_calls_like_the_general_parser() {
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
            let call = parse_call(line.as_bytes()).expect("a call");
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
            assert!(parse_call(line.as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn ignores_messages_that_must_not_be_answered() {
        for line in [
            "",
            " \r",
            r#"{"jsonrpc":"2.0","error":3}"#,
            r#"{"jsonrpc":"1.0","method":"notifications/x"}"#,
        ] {
            assert!(matches!(parse_line(line.as_bytes()), Incoming::Ignored), "{line}");
        }
    }

    #[test]
    fn parses_messages_with_a_byte_order_mark_and_a_carriage_return() {
        let line = "\u{FEFF}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r";
        assert!(matches!(parse_line(line.as_bytes()), Incoming::Message(_)));
    }
}

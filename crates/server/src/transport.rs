//! A transport over a pair of pipes that protects the protocol library (rmcp 3.8.0).
//!
//! - A notification before the first request ends the library's loop, and a client that cancels its
//!   `server/discover` probe would kill the server: such notifications are dropped.
//! - A second request with an id in use loses the response to the first: it is rejected.
//! - Lines that are not messages, or too long, are ignored by the library: they get an error.
//! - The library would send server requests to modern clients, which 2026-07-28 forbids: they fail.
//! - `initialize` after a modern request would succeed and break the connection: it is rejected.

mod batched_writer;
mod line_reader;
mod message;
mod side_connection;

use std::{
    collections::{HashSet, VecDeque},
    io,
    sync::Arc,
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{Either, ready},
};
pub use message::{Incoming, parse_line};
pub(crate) use message::{TOO_MANY_VALUES, has_too_many_values};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, GetMeta,
        JsonRpcRequest, ProtocolVersion, RequestId, ServerJsonRpcMessage,
    },
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::{JoinSet, yield_now},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::side_connection::SideConnectionOptions;
use self::{
    batched_writer::{BatchedWriter, Stalled},
    line_reader::{Line, LineReader},
    side_connection::SideConnection,
};
use crate::{camel_case, methods, response_sent::UnsentResponses, write_order::WriteOrder};

const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// Timeout for writing the last responses.
const FLUSH_TIME: Duration = Duration::from_secs(2);

/// Error responses that may wait to be written before reading pauses.
const MAX_PENDING_ERRORS: usize = 64;

/// Requests without a response. The request limiter rejects calls earlier; this is for the others.
const MAX_IN_FLIGHT: usize = 16_384;

/// Unanswered requests up to which reading goes on without letting them run first.
const MAX_UNYIELDING: usize = 256;

/// Cancelled requests whose ids stay reserved.
const MAX_CANCELLED: usize = 1_024;

/// A transport over a pair of pipes, one message per line.
pub(crate) struct PipeTransport<R, W> {
    lines: LineReader<R>,
    output: Arc<BatchedWriter<W>>,
    opening: Opening,
    in_flight: HashSet<RequestId>,
    /// Cancelled requests, which get no response. Their ids stay reserved: the library would take
    /// the late end of such a request for the response to a new one.
    cancelled: VecDeque<RequestId>,
    errors: JoinSet<()>,
    end_of_input: CancellationToken,
    side_connection: SideConnection,
    write_order: WriteOrder,
    unsent: UnsentResponses,
}

/// How the client opened the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    /// Unknown so far: it has sent only `server/discover` or `ping`.
    Undecided,
    /// With the `initialize` handshake.
    Legacy,
    /// With a self-contained request.
    Modern,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> PipeTransport<R, W> {
    /// `end_of_input` is cancelled at EOF.
    pub(crate) fn new(input: R, output: W, end_of_input: CancellationToken) -> Self {
        Self {
            lines: LineReader::new(input, MAX_MESSAGE_BYTES),
            output: Arc::new(BatchedWriter::new(output)),
            opening: Opening::Undecided,
            in_flight: HashSet::new(),
            cancelled: VecDeque::new(),
            errors: JoinSet::new(),
            end_of_input,
            side_connection: SideConnection::default(),
            write_order: WriteOrder::default(),
            unsent: UnsentResponses::default(),
        }
    }

    /// Makes calls of the tools that `is_ordered` names run in the order in which they arrive.
    pub(crate) fn with_ordered_calls(
        mut self,
        is_ordered: impl Fn(&str) -> bool + Send + 'static,
    ) -> Self {
        self.write_order = WriteOrder::new(is_ordered);
        self
    }

    /// Answers camel-case requests on a side connection.
    pub(crate) fn with_side_connection(mut self, options: SideConnectionOptions) -> Self {
        self.side_connection = SideConnection::new(options);
        self
    }

    /// The next message for the library; `None` at EOF.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // A client that does not read is not asked for more. Responses would fill the memory.
            if let Err(Stalled) = self.output.wait_for_room().await {
                tracing::warn!("the client has stopped reading; the connection is closed");
                return None;
            }
            // On a busy machine, reading is faster than responding, and `wait_for_room` counts only
            // responses: let the requests that were read run first.
            if self.in_flight.len() > MAX_UNYIELDING {
                yield_now().await;
            }
            // Backpressure: a client that sends garbage and does not read must not fill the memory
            // with error responses.
            while self.errors.len() >= MAX_PENDING_ERRORS {
                self.errors.join_next().await;
            }
            let incoming = match self.lines.next().await {
                Line::Text(line) => parse_line(line),
                // The line was not read, so the id of the request is unknown. An error without one
                // is what the specification asks for then (2026-07-28, basic, error responses).
                Line::TooLong => Incoming::Invalid {
                    id: None,
                    error: ErrorData::invalid_request(
                        format!("a message may have at most {MAX_MESSAGE_BYTES} bytes"),
                        None,
                    ),
                },
                Line::End => return None,
            };
            match incoming {
                Incoming::Message(message) => {
                    if let Some(message) = self.take_camel_case(*message)
                        && let Some(message) = self.admit(message)
                    {
                        return Some(message);
                    }
                }
                Incoming::Invalid { id, error } => self.send_error(id, error),
                Incoming::Ignored => {}
            }
            while self.errors.try_join_next().is_some() {}
        }
    }

    /// Passes camel-case requests and their cancellations to the side connection; returns other
    /// messages.
    fn take_camel_case(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match message {
            ClientJsonRpcMessage::Request(JsonRpcRequest {
                id,
                request: ClientRequest::CustomRequest(request),
                ..
            }) if camel_case::is_camel_case(&request.method) => {
                let translated = if self.is_in_use(&id) {
                    Err(id_in_use())
                } else {
                    camel_case::translate(&id, &request.method, request.params)
                };
                match translated {
                    Ok((request, message)) => {
                        self.side_connection.send(id, request, message, &self.output);
                    }
                    Err(error) => self.send_error(Some(id), error),
                }
                None
            }
            ClientJsonRpcMessage::Notification(ref notification) => {
                match cancelled_id(&notification.notification) {
                    Some(id) if self.side_connection.is_pending(id) => {
                        let id = id.clone();
                        self.side_connection.cancel(&id, message);
                        None
                    }
                    _ => Some(message),
                }
            }
            message => Some(message),
        }
    }

    /// Returns the message if the library can handle it.
    fn admit(&mut self, mut message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &mut message {
            ClientJsonRpcMessage::Request(request) => {
                if let Err(error) = self.admit_request(request) {
                    self.send_error(Some(request.id.clone()), error);
                    return None;
                }
                self.write_order.queue(&mut request.request);
                self.unsent.track(request);
            }
            // The library stops at a notification before the first request; a client that cancels
            // its probe would kill the server.
            _ if self.opening == Opening::Undecided => return None,
            ClientJsonRpcMessage::Notification(notification) => {
                if let Some(id) = cancelled_id(&notification.notification) {
                    self.reserve_cancelled(id);
                }
            }
            _ => {}
        }
        Some(message)
    }

    fn admit_request(&mut self, request: &JsonRpcRequest<ClientRequest>) -> Result<(), ErrorData> {
        if self.in_flight.len() >= MAX_IN_FLIGHT {
            let message = format!("{MAX_IN_FLIGHT} requests are unanswered; wait for some of them");
            return Err(ErrorData::internal_error(message, None));
        }
        if self.opening == Opening::Modern
            && matches!(request.request, ClientRequest::InitializeRequest(_))
        {
            let message =
                "`initialize` is not a method of the revision this connection was opened with";
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
        }
        if self.is_in_use(&request.id) {
            return Err(id_in_use());
        }
        if self.opening == Opening::Undecided {
            self.opening = decide_opening(&request.request);
            // The library would complain about missing metadata instead.
            if let (Opening::Undecided, ClientRequest::CustomRequest(custom)) =
                (self.opening, &request.request)
                && !methods::is_known(&custom.method)
            {
                return Err(methods::unknown_method(&custom.method));
            }
        }
        self.in_flight.insert(request.id.clone());
        Ok(())
    }

    fn is_in_use(&self, id: &RequestId) -> bool {
        self.side_connection.is_pending(id) || self.in_flight.contains(id)
    }

    /// Reserves the id of a cancelled request: no response will release it. Bounded, so that a
    /// client that cancels often does not fill the memory.
    fn reserve_cancelled(&mut self, id: &RequestId) {
        if !self.in_flight.contains(id) || self.cancelled.contains(id) {
            return;
        }
        self.cancelled.push_back(id.clone());
        self.unsent.forget(id);
        if self.cancelled.len() > MAX_CANCELLED
            && let Some(oldest) = self.cancelled.pop_front()
        {
            // Its id may be reused from now on. After so many others the late end has come long
            // ago.
            self.in_flight.remove(&oldest);
        }
    }

    /// Sends an error in a task of its own: reading may be cancelled at any await, and half a message
    /// would corrupt the stream.
    fn send_error(&mut self, id: Option<RequestId>, error: ErrorData) {
        let output = self.output.clone();
        self.errors.spawn(async move {
            let _ = output.write(&ServerJsonRpcMessage::error(error, id)).await;
        });
    }

    /// Whether no further response will be sent. Cancelled requests get none.
    fn is_idle(&self) -> bool {
        self.in_flight.len() <= self.cancelled.len()
    }

    /// Checks an outgoing message and releases the id of the request that it answers.
    fn check_outgoing(&mut self, message: &ServerJsonRpcMessage) -> io::Result<()> {
        match message {
            // The library refuses this over HTTP, but not on pipes.
            ServerJsonRpcMessage::Request(_) if self.opening == Opening::Modern => {
                return Err(io::Error::other(
                    "the protocol forbids server requests to this client",
                ));
            }
            ServerJsonRpcMessage::Response(response) => self.in_flight.remove(&response.id),
            ServerJsonRpcMessage::Error(error) => {
                error.id.as_ref().is_some_and(|id| self.in_flight.remove(id))
            }
            _ => false,
        };
        Ok(())
    }
}

/// The id of the request that a notification cancels.
fn cancelled_id(notification: &ClientNotification) -> Option<&RequestId> {
    match notification {
        ClientNotification::CancelledNotification(cancelled) => {
            cancelled.params.request_id.as_ref()
        }
        _ => None,
    }
}

fn id_in_use() -> ErrorData {
    ErrorData::invalid_request("a request with this id is still being answered", None)
}

/// How a request opens the connection. Must agree with the protocol library.
fn decide_opening(request: &ClientRequest) -> Opening {
    match request {
        ClientRequest::InitializeRequest(_) => Opening::Legacy,
        ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => Opening::Undecided,
        other => {
            let meta = other.get_meta();
            // A request without the metadata of 2026-07-28 is rejected by the library and opens
            // nothing.
            let is_complete = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
            let is_known = meta
                .protocol_version()
                .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version));
            if is_complete && is_known { Opening::Modern } else { Opening::Undecided }
        }
    }
}

impl<R, W> Transport<RoleServer> for PipeTransport<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        // Checked now and not in the future, because the id must be free before the client can see
        // the response.
        let checked = self.check_outgoing(&message);
        let sent = self.unsent.take(&message);
        let output = self.output.clone();
        let mut written = Box::pin(async move {
            checked?;
            output.write(&message).await?;
            // Fails if the handler does not wait.
            let _ = sent.map(|sent| sent.send(()));
            Ok(())
        });
        // Without other requests in flight there is nothing to batch with, so write at once instead
        // of in the task that the library spawns for it: that saves a context switch.
        match self.is_idle().then(|| (&mut written).now_or_never()).flatten() {
            Some(done) => Either::Left(ready(done)),
            None => Either::Right(written),
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let message = self.next().await;
        if message.is_none() {
            self.end_of_input.cancel();
            // The library calls `close` only if the connection was opened.
            let _ = timeout(FLUSH_TIME, async { while self.errors.join_next().await.is_some() {} })
                .await;
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        let close = async {
            while self.errors.join_next().await.is_some() {}
            self.output.close().await
        };
        // A client that does not read must not keep the server alive.
        timeout(FLUSH_TIME, close).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use rmcp::{
        model::{NumberOrString, PingRequest, ServerJsonRpcMessage, ServerRequest, ServerResult},
        transport::Transport,
    };
    use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
    use tokio_util::sync::CancellationToken;

    use super::PipeTransport;

    const MODERN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    const LEGACY: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{
        "protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

    async fn may_send_requests(opener: &str) -> bool {
        let (mut client, input) = tokio::io::duplex(1 << 12);
        let mut transport = PipeTransport::new(input, Vec::new(), CancellationToken::new());
        client
            .write_all(format!("{}\n", opener.replace('\n', " ")).as_bytes())
            .await
            .expect("space in the pipe");
        transport.receive().await.expect("admitted");
        let request = ServerRequest::PingRequest(PingRequest::default());
        transport
            .send(ServerJsonRpcMessage::request(request, NumberOrString::Number(1)))
            .await
            .is_ok()
    }

    /// Without a reader and requests in flight, each message is tried at once.
    #[tokio::test]
    async fn writes_whole_messages_in_order_to_a_full_pipe() {
        let (client, output) = tokio::io::duplex(64);
        let mut transport =
            PipeTransport::new(tokio::io::empty(), output, CancellationToken::new());
        let ping = |id| {
            ServerJsonRpcMessage::request(
                ServerRequest::PingRequest(PingRequest::default()),
                NumberOrString::Number(id),
            )
        };
        let sent: Vec<_> = (0..4).map(|id| tokio::spawn(transport.send(ping(id)))).collect();
        let mut lines = BufReader::new(client).lines();
        for id in 0..4 {
            let line = lines.next_line().await.expect("a pipe").expect("a line");
            let message: serde_json::Value = serde_json::from_str(&line).expect("a message");
            assert_eq!(message["id"], id);
        }
        for one in sent {
            assert!(one.await.expect("no panic").is_ok());
        }
    }

    #[tokio::test]
    async fn writes_at_once_if_all_other_requests_were_cancelled() {
        let (mut client, input) = tokio::io::duplex(1 << 12);
        let (mut reader, output) = tokio::io::duplex(1 << 12);
        let mut transport = PipeTransport::new(input, output, CancellationToken::new());
        let cancelled =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
        let pings = [2, 3].map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        for line in [LEGACY, &pings[0], cancelled, cancelled, &pings[1]] {
            client
                .write_all(format!("{}\n", line.replace('\n', " ")).as_bytes())
                .await
                .expect("space in the pipe");
            transport.receive().await.expect("admitted");
        }
        let mut seen = [0; 1];
        for (id, goes_at_once) in [(1, false), (3, true)] {
            let sent = transport.send(ServerJsonRpcMessage::response(
                ServerResult::empty(()),
                NumberOrString::Number(id),
            ));
            assert_eq!(reader.read(&mut seen).now_or_never().is_some(), goes_at_once, "{id}");
            sent.await.expect("a pipe");
            while reader.read(&mut seen).now_or_never().is_some() {}
        }
    }

    #[tokio::test]
    async fn sends_requests_only_to_legacy_clients() {
        assert!(may_send_requests(LEGACY).await);
        assert!(!may_send_requests(MODERN).await);
    }
}

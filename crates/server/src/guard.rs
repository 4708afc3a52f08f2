//! Between standard input and the protocol library: what must not get through in either
//! direction.
//!
//! Notifications before a client has opened the connection, answers nobody waits for, a second
//! request under an id in use: all of these end or confuse the library's loop. Lines that are not
//! messages get an answer instead of silence. Requests to modern clients, which the protocol
//! forbids, are not sent.

mod aside;
mod lines;
mod message;
mod output;

use std::{
    collections::{HashSet, VecDeque},
    io,
    sync::Arc,
};

pub(crate) use aside::Beside;
use futures_util::{
    FutureExt,
    future::{Either, ready},
};
pub use message::{Incoming, read};
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
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use self::{
    aside::Aside,
    lines::{Line, Lines},
    output::Output,
};
use crate::{connection, dialect};

/// The longest message that is read.
const LONGEST: usize = 16 << 20;

/// The most refusals that may wait to be written before reading goes on.
const MOST_REFUSALS: usize = 64;

/// The most cancelled requests whose ids are kept from being used again.
const MOST_CANCELLED: usize = 1_024;

/// A line-wise transport that lets only through what the protocol library can take.
pub(crate) struct Guard<R, W> {
    lines: Lines<R>,
    output: Arc<Output<W>>,
    opening: Opening,
    in_flight: HashSet<RequestId>,
    /// Requests that were cancelled, whose late ends the library would take for answers to others.
    cancelled: VecDeque<RequestId>,
    refusals: JoinSet<()>,
    end_of_input: CancellationToken,
    aside: Aside,
}

/// How the client opened the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    /// It has only looked so far.
    Undecided,
    /// By the handshake.
    Legacy,
    /// By a request that says everything itself.
    Modern,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Guard<R, W> {
    /// A guard that says when the input has ended.
    pub(crate) fn new(input: R, output: W, end_of_input: CancellationToken) -> Self {
        Self {
            lines: Lines::new(input, LONGEST),
            output: Arc::new(Output::new(output)),
            opening: Opening::Undecided,
            in_flight: HashSet::new(),
            cancelled: VecDeque::new(),
            refusals: JoinSet::new(),
            end_of_input,
            aside: Aside::default(),
        }
    }

    /// Has requests in the dialect answered beside the others.
    pub(crate) fn with(mut self, beside: Beside) -> Self {
        self.aside = Aside::new(beside);
        self
    }

    /// The next message that may be let through; nothing at the end of the input.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while self.refusals.len() >= MOST_REFUSALS {
                self.refusals.join_next().await;
            }
            let incoming = match self.lines.next().await {
                Line::Text(line) => read(line),
                // The line was not read, so the id of the request is unknown. An error without one
                // is what the specification asks for then (2026-07-28, basic, error responses).
                Line::TooLong => Incoming::Refused {
                    id: None,
                    error: ErrorData::invalid_request(
                        format!("a message may have at most {LONGEST} bytes"),
                        None,
                    ),
                },
                Line::End => return None,
            };
            match incoming {
                Incoming::Message(message) => {
                    if let Some(message) = self.own(*message)
                        && let Some(message) = self.admit(message)
                    {
                        return Some(message);
                    }
                }
                Incoming::Refused { id, error } => self.refuse(id, error),
                Incoming::Nothing => {}
            }
            while self.refusals.try_join_next().is_some() {}
        }
    }

    /// The message, unless it belongs to the dialect and is answered aside.
    fn own(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match message {
            ClientJsonRpcMessage::Request(JsonRpcRequest {
                id,
                request: ClientRequest::CustomRequest(request),
                ..
            }) if dialect::speaks(&request.method) => {
                let translated = match self.aside.has(&id) || self.in_flight.contains(&id) {
                    true => Err(in_use()),
                    false => dialect::translate(&id, &request.method, request.params),
                };
                match translated {
                    Ok((asked, message)) => self.aside.ask(id, asked, message, &self.output),
                    Err(error) => self.refuse(Some(id), error),
                }
                None
            }
            ClientJsonRpcMessage::Notification(ref notification) => {
                match cancelled(&notification.notification) {
                    Some(id) if self.aside.has(id) => {
                        let id = id.clone();
                        self.aside.cancel(&id, message);
                        None
                    }
                    _ => Some(message),
                }
            }
            message => Some(message),
        }
    }

    fn admit(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &message {
            ClientJsonRpcMessage::Request(request) => {
                if let Err(error) = self.admit_request(request) {
                    self.refuse(Some(request.id.clone()), error);
                    return None;
                }
            }
            _ if self.opening == Opening::Undecided => return None,
            ClientJsonRpcMessage::Notification(notification) => {
                if let Some(id) = cancelled(&notification.notification) {
                    self.remember(id);
                }
            }
            _ => {}
        }
        Some(message)
    }

    fn admit_request(&mut self, request: &JsonRpcRequest<ClientRequest>) -> Result<(), ErrorData> {
        if self.opening == Opening::Modern
            && matches!(request.request, ClientRequest::InitializeRequest(_))
        {
            let message =
                "`initialize` is not a method of the revision this connection was opened with";
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
        }
        if self.aside.has(&request.id) || self.in_flight.contains(&request.id) {
            return Err(in_use());
        }
        if self.opening == Opening::Undecided {
            self.opening = opening(&request.request);
            // The library would only say that it does not know who asks.
            if let (Opening::Undecided, ClientRequest::CustomRequest(custom)) =
                (self.opening, &request.request)
                && !connection::is_method(&custom.method)
            {
                return Err(connection::unknown_method(&custom.method));
            }
        }
        self.in_flight.insert(request.id.clone());
        Ok(())
    }

    /// Keeps the id of a cancelled request in use: no answer will give it free. Only the last ones
    /// are kept, lest a client that cancels often fills the memory.
    fn remember(&mut self, id: &RequestId) {
        if !self.in_flight.contains(id) || self.cancelled.contains(id) {
            return;
        }
        self.cancelled.push_back(id.clone());
        if self.cancelled.len() > MOST_CANCELLED
            && let Some(oldest) = self.cancelled.pop_front()
        {
            self.in_flight.remove(&oldest);
        }
    }

    /// Answers in a task of its own: reading is cancelled at any moment, and half an answer would
    /// spoil the stream.
    fn refuse(&mut self, id: Option<RequestId>, error: ErrorData) {
        let output = self.output.clone();
        self.refusals.spawn(async move {
            let _ = output.write(&ServerJsonRpcMessage::error(error, id)).await;
        });
    }

    /// Whether no answer is to come: to requests that were cancelled there is none.
    fn is_idle(&self) -> bool {
        self.in_flight.len() <= self.cancelled.len()
    }

    fn outgoing(&mut self, message: &ServerJsonRpcMessage) -> io::Result<()> {
        match message {
            ServerJsonRpcMessage::Request(_) if self.opening == Opening::Modern => {
                return Err(io::Error::other("clients of this revision are not sent requests"));
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

/// The request that a notification cancels.
fn cancelled(notification: &ClientNotification) -> Option<&RequestId> {
    match notification {
        ClientNotification::CancelledNotification(cancelled) => {
            cancelled.params.request_id.as_ref()
        }
        _ => None,
    }
}

fn in_use() -> ErrorData {
    ErrorData::invalid_request("a request with this id is still being answered", None)
}

/// What a first request decides; it must be what the protocol library takes it for.
fn opening(request: &ClientRequest) -> Opening {
    match request {
        ClientRequest::InitializeRequest(_) => Opening::Legacy,
        ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => Opening::Undecided,
        other => {
            let meta = other.get_meta();
            let is_complete = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
            let is_known = meta
                .protocol_version()
                .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version));
            if is_complete && is_known { Opening::Modern } else { Opening::Undecided }
        }
    }
}

impl<R, W> Transport<RoleServer> for Guard<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let verdict = self.outgoing(&message);
        let output = self.output.clone();
        let mut written = Box::pin(async move {
            verdict?;
            output.write(&message).await
        });
        // If no other answer may soon go with it, it goes out now and not with the task that the library starts for it.
        match self.is_idle().then(|| (&mut written).now_or_never()).flatten() {
            Some(done) => Either::Left(ready(done)),
            None => Either::Right(written),
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let message = self.next().await;
        if message.is_none() {
            self.end_of_input.cancel();
            // A connection that was never opened is dropped by the library, not closed.
            while self.refusals.join_next().await.is_some() {}
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        while self.refusals.join_next().await.is_some() {}
        self.output.close().await
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

    use super::Guard;

    const MODERN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    const LEGACY: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{
        "protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

    async fn may_ask(opener: &str) -> bool {
        let (mut client, input) = tokio::io::duplex(1 << 12);
        let mut guard = Guard::new(input, Vec::new(), CancellationToken::new());
        client
            .write_all(format!("{}\n", opener.replace('\n', " ")).as_bytes())
            .await
            .expect("room");
        guard.receive().await.expect("let through");
        let request = ServerRequest::PingRequest(PingRequest::default());
        guard.send(ServerJsonRpcMessage::request(request, NumberOrString::Number(1))).await.is_ok()
    }

    /// Nobody reads yet, and no request is in flight, so that each is tried at once.
    #[tokio::test]
    async fn what_a_full_pipe_does_not_take_at_once_goes_out_whole_and_in_order() {
        let (client, output) = tokio::io::duplex(64);
        let mut guard = Guard::new(tokio::io::empty(), output, CancellationToken::new());
        let ping = |id| {
            ServerJsonRpcMessage::request(
                ServerRequest::PingRequest(PingRequest::default()),
                NumberOrString::Number(id),
            )
        };
        let sent: Vec<_> = (0..4).map(|id| tokio::spawn(guard.send(ping(id)))).collect();
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
    async fn an_answer_goes_out_at_once_after_others_were_cancelled() {
        let (mut client, input) = tokio::io::duplex(1 << 12);
        let (mut reader, output) = tokio::io::duplex(1 << 12);
        let mut guard = Guard::new(input, output, CancellationToken::new());
        let cancelled =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
        let pings = [2, 3].map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        for line in [LEGACY, &pings[0], cancelled, cancelled, &pings[1]] {
            client
                .write_all(format!("{}\n", line.replace('\n', " ")).as_bytes())
                .await
                .expect("room");
            guard.receive().await.expect("let through");
        }
        let mut seen = [0; 1];
        for (id, goes_at_once) in [(1, false), (3, true)] {
            let sent = guard.send(ServerJsonRpcMessage::response(
                ServerResult::empty(()),
                NumberOrString::Number(id),
            ));
            assert_eq!(reader.read(&mut seen).now_or_never().is_some(), goes_at_once, "{id}");
            sent.await.expect("a pipe");
            while reader.read(&mut seen).now_or_never().is_some() {}
        }
    }

    #[tokio::test]
    async fn sends_requests_only_to_clients_that_shook_hands() {
        assert!(may_ask(LEGACY).await);
        assert!(!may_ask(MODERN).await);
    }
}

//! A second connection for camel-case requests.
//!
//! They need no handshake, and must not decide the era of the client's own connection. So they are
//! answered by a second instance of the protocol library, opened with the first such request. It
//! shares the output and the state of the client.

use std::{collections::HashMap, io, sync::Arc};

use parking_lot::Mutex;
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage},
    service::serve_server_with_ct,
    transport::Transport,
};
use serde_json::Value;
use tokio::{io::AsyncWrite, sync::mpsc};
use tokio_util::sync::CancellationToken;

use super::batched_writer::BatchedWriter;
use crate::{Server, camel_case::CamelCaseRequest, connection::Connection};

/// How to open the side connection.
pub(crate) struct SideConnectionOptions {
    pub(crate) server: Server,
    pub(crate) connect: Box<dyn FnOnce() -> Connection + Send>,
    /// Closes the connection.
    pub(crate) shutdown: CancellationToken,
    /// Held until the connection has closed.
    pub(crate) alive: mpsc::Sender<()>,
}

/// A second connection for camel-case requests, opened on demand.
#[derive(Default)]
pub(super) struct SideConnection {
    options: Option<SideConnectionOptions>,
    /// Unbounded, because reading may be cancelled at any await and must not wait here. The request
    /// limiter bounds how many run.
    requests: Option<mpsc::UnboundedSender<ClientJsonRpcMessage>>,
    pending: PendingRequests,
}

/// Requests without a response.
type PendingRequests = Arc<Mutex<HashMap<RequestId, CamelCaseRequest>>>;

impl SideConnection {
    pub(super) fn new(options: SideConnectionOptions) -> Self {
        Self { options: Some(options), ..Self::default() }
    }

    /// Whether a request with this id has no response yet.
    pub(super) fn is_pending(&self, id: &RequestId) -> bool {
        self.pending.lock().contains_key(id)
    }

    /// Sends a translated request.
    pub(super) fn send<W>(
        &mut self,
        id: RequestId,
        request: CamelCaseRequest,
        message: Value,
        output: &Arc<BatchedWriter<W>>,
    ) where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let Ok(message) = serde_json::from_value(message) else {
            return;
        };
        // Registered before sending, because the response may arrive at once.
        self.pending.lock().insert(id, request);
        // Opened with the first request: most clients never need it.
        if let Some(options) = self.options.take() {
            self.requests = Some(open(options, self.pending.clone(), Arc::clone(output)));
        }
        if let Some(requests) = &self.requests {
            // Fails only when the server shuts down.
            let _ = requests.send(message);
        }
    }

    /// Forwards the cancellation of a request, which then gets no response.
    pub(super) fn cancel(&self, id: &RequestId, message: ClientJsonRpcMessage) {
        self.pending.lock().remove(id);
        if let Some(requests) = &self.requests {
            let _ = requests.send(message);
        }
    }
}

fn open<W>(
    options: SideConnectionOptions,
    pending: PendingRequests,
    output: Arc<BatchedWriter<W>>,
) -> mpsc::UnboundedSender<ClientJsonRpcMessage>
where
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (sender, requests) = mpsc::unbounded_channel();
    let SideConnectionOptions { server, connect, shutdown, alive } = options;
    let transport = SideTransport { requests, pending, output, server };
    tokio::spawn(async move {
        if let Ok(service) = serve_server_with_ct(connect(), transport, shutdown).await {
            let _ = service.waiting().await;
        }
        drop(alive);
    });
    sender
}

/// The transport of the side connection: translates responses back and writes them.
struct SideTransport<W> {
    requests: mpsc::UnboundedReceiver<ClientJsonRpcMessage>,
    pending: PendingRequests,
    output: Arc<BatchedWriter<W>>,
    server: Server,
}

impl<W: AsyncWrite + Unpin + Send + 'static> Transport<RoleServer> for SideTransport<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            // Clients that use camel-case methods expect responses only.
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => None,
        };
        // A cancelled request is not pending any more, so its late response is dropped.
        let request = id.and_then(|id| self.pending.lock().remove(id));
        let (output, snapshot) = (Arc::clone(&self.output), self.server.snapshot());
        async move {
            let Some(request) = request else { return Ok(()) };
            let response = serde_json::to_value(&message)?;
            output.write(&request.translate_response(response, &snapshot)).await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.requests.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.requests.close();
        Ok(())
    }
}

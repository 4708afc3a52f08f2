//! A connection beside the client's own, for requests in the dialect: they need none to be open,
//! and what they ask leaves no trace in it.

use std::{collections::HashMap, io, sync::Arc};

use parking_lot::{Mutex, MutexGuard};
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage},
    service::serve_server_with_ct,
    transport::Transport,
};
use serde_json::Value;
use tokio::{io::AsyncWrite, sync::mpsc};
use tokio_util::sync::CancellationToken;

use super::output::Output;
use crate::{Server, connection::Connection, dialect::Asked};

/// What opens the connection when the first request for it comes.
pub(crate) struct Beside {
    /// What is served.
    pub(crate) server: Server,
    /// Makes the connection.
    pub(crate) connect: Box<dyn FnOnce() -> Connection + Send>,
    /// Ends it.
    pub(crate) shutdown: CancellationToken,
    /// Held until it has ended.
    pub(crate) alive: mpsc::Sender<()>,
}

/// The connection.
#[derive(Default)]
pub(super) struct Aside {
    beside: Option<Beside>,
    /// Without bounds, because reading is cancelled at any moment and must not wait here; what is taken up waits its turn.
    requests: Option<mpsc::UnboundedSender<ClientJsonRpcMessage>>,
    asked: Pending,
}

/// Requests without an answer yet.
#[derive(Clone, Default)]
struct Pending(Arc<Mutex<HashMap<RequestId, Asked>>>);

impl Pending {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Asked>> {
        self.0.lock()
    }
}

impl Aside {
    pub(super) fn new(beside: Beside) -> Self {
        Self { beside: Some(beside), ..Self::default() }
    }

    /// Whether a request with this id has no answer yet.
    pub(super) fn has(&self, id: &RequestId) -> bool {
        self.asked.lock().contains_key(id)
    }

    /// Hands a request over.
    pub(super) fn ask<W>(
        &mut self,
        id: RequestId,
        asked: Asked,
        message: Value,
        output: &Arc<Output<W>>,
    ) where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let Ok(message) = serde_json::from_value(message) else {
            return;
        };
        self.asked.lock().insert(id, asked);
        if let Some(beside) = self.beside.take() {
            self.requests = Some(open(beside, self.asked.clone(), Arc::clone(output)));
        }
        if let Some(requests) = &self.requests {
            // It is gone only when the server ends.
            let _ = requests.send(message);
        }
    }

    /// Hands over that a request was cancelled: nothing is answered to it any more.
    pub(super) fn cancel(&self, id: &RequestId, message: ClientJsonRpcMessage) {
        self.asked.lock().remove(id);
        if let Some(requests) = &self.requests {
            let _ = requests.send(message);
        }
    }
}

fn open<W>(
    beside: Beside,
    asked: Pending,
    output: Arc<Output<W>>,
) -> mpsc::UnboundedSender<ClientJsonRpcMessage>
where
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (sender, requests) = mpsc::unbounded_channel();
    let Beside { server, connect, shutdown, alive } = beside;
    let port = Port { requests, asked, output, server };
    tokio::spawn(async move {
        if let Ok(service) = serve_server_with_ct(connect(), port, shutdown).await {
            let _ = service.waiting().await;
        }
        drop(alive);
    });
    sender
}

/// The connection's end of the pipe.
struct Port<W> {
    requests: mpsc::UnboundedReceiver<ClientJsonRpcMessage>,
    asked: Pending,
    output: Arc<Output<W>>,
    server: Server,
}

impl<W: AsyncWrite + Unpin + Send + 'static> Transport<RoleServer> for Port<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            // Nobody who speaks the dialect waits for anything else.
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => None,
        };
        let asked = id.and_then(|id| self.asked.lock().remove(id));
        let (output, snapshot) = (Arc::clone(&self.output), self.server.snapshot());
        async move {
            let Some(asked) = asked else { return Ok(()) };
            output.write(&asked.answer(serde_json::to_value(&message)?, &snapshot)).await
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

//! Tells a handler whether its response was sent, so that results are marked as delivered only then.

use std::{collections::HashMap, sync::Arc};

use axum::http::request::Parts;
use parking_lot::Mutex;
use rmcp::model::{
    ClientRequest, Extensions, GetExtensions, JsonRpcRequest, RequestId, ServerJsonRpcMessage,
};
use tokio::sync::oneshot;

/// Waits until the response to a request was sent. Extensions must be `Clone`.
#[derive(Clone)]
pub(crate) struct ResponseSent(Arc<Mutex<Option<oneshot::Receiver<()>>>>);

impl ResponseSent {
    /// The sender reports that the response was sent; dropping it, that it never will be.
    pub(crate) fn channel() -> (oneshot::Sender<()>, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, Self(Arc::new(Mutex::new(Some(receiver)))))
    }

    /// The one of a request: of the pipe that it came from, or of its HTTP request.
    pub(crate) fn of(extensions: &Extensions) -> Option<Self> {
        let of_http = || extensions.get::<Parts>()?.extensions.get::<Self>();
        extensions.get::<Self>().or_else(of_http).cloned()
    }

    /// Returns whether the response was sent.
    pub(crate) async fn wait(self) -> bool {
        let receiver = self.0.lock().take();
        match receiver {
            Some(receiver) => receiver.await.is_ok(),
            None => false,
        }
    }
}

/// The calls on a pipe whose responses were not sent yet.
#[derive(Default)]
pub(crate) struct UnsentResponses(HashMap<RequestId, oneshot::Sender<()>>);

impl UnsentResponses {
    /// Lets the handler of a call wait for its response.
    pub(crate) fn track(&mut self, request: &mut JsonRpcRequest<ClientRequest>) {
        if let ClientRequest::CallToolRequest(call) = &mut request.request {
            let (sender, sent) = ResponseSent::channel();
            call.extensions_mut().insert(sent);
            self.0.insert(request.id.clone(), sender);
        }
    }

    /// The notification to send after this message.
    pub(crate) fn take(&mut self, message: &ServerJsonRpcMessage) -> Option<oneshot::Sender<()>> {
        match message {
            ServerJsonRpcMessage::Response(response) => self.0.remove(&response.id),
            ServerJsonRpcMessage::Error(error) => self.0.remove(error.id.as_ref()?),
            _ => None,
        }
    }

    /// Forgets a request that gets no response.
    pub(crate) fn forget(&mut self, id: &RequestId) {
        self.0.remove(id);
    }
}

/// Reports on drop that the response was sent: the body of an HTTP response keeps it until then.
pub(crate) struct SentOnDrop(pub(crate) Option<oneshot::Sender<()>>);

impl Drop for SentOnDrop {
    fn drop(&mut self) {
        // Fails if the handler does not wait.
        let _ = self.0.take().map(|sender| sender.send(()));
    }
}

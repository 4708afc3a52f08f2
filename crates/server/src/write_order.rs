//! Runs writes of one client in the order in which they were sent.
//!
//! The protocol library answers every request in a task of its own, so that two calls that a client
//! sends without waiting may run in either order. For most calls that is right; but of two writes of
//! a flag, the last one sent must count.

use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::{ClientRequest, Extensions, GetExtensions};
use tokio::sync::oneshot;

/// Decides which calls are ordered, by the name of the tool.
type IsOrdered = Box<dyn Fn(&str) -> bool + Send>;

/// The order of writes on one connection.
#[derive(Default)]
pub(crate) struct WriteOrder {
    is_ordered: Option<IsOrdered>,
    /// Ends when the last write that was queued has ended.
    last: Option<oneshot::Receiver<()>>,
}

/// The turn of one write, which ends when it is dropped.
pub(crate) struct WriteTurn {
    previous: Option<oneshot::Receiver<()>>,
    _done: oneshot::Sender<()>,
}

/// A [`WriteTurn`] on its way from the transport to the handler. Extensions must be `Clone`.
#[derive(Clone)]
struct QueuedTurn(Arc<Mutex<Option<WriteTurn>>>);

impl WriteOrder {
    pub(crate) fn new(is_ordered: impl Fn(&str) -> bool + Send + 'static) -> Self {
        Self { is_ordered: Some(Box::new(is_ordered)), last: None }
    }

    /// Queues a request if it is a write. Called in the order of arrival.
    pub(crate) fn queue(&mut self, request: &mut ClientRequest) {
        let ClientRequest::CallToolRequest(call) = request else { return };
        if !self.is_ordered.as_ref().is_some_and(|is_ordered| is_ordered(&call.params.name)) {
            return;
        }
        let (done, ended) = oneshot::channel();
        let turn = WriteTurn { previous: self.last.replace(ended), _done: done };
        call.extensions_mut().insert(QueuedTurn(Arc::new(Mutex::new(Some(turn)))));
    }
}

impl WriteTurn {
    /// Waits until the writes before this one have ended. Hold the result until it has ended itself.
    pub(crate) async fn wait(extensions: &Extensions) -> Option<Self> {
        let mut turn = extensions.get::<QueuedTurn>()?.0.lock().take()?;
        if let Some(previous) = turn.previous.take() {
            // Nothing is ever sent: the channel closes when the turn is dropped.
            let _ = previous.await;
        }
        Some(turn)
    }
}

//! The output of a running program, for a person who is waiting for it.

use std::sync::Arc;

use process::{OutputListener, OutputStream};
use tokio_util::sync::CancellationToken;

/// Receives each chunk of output as it is read. It may be called from any thread.
pub type LiveOutput = Arc<dyn Fn(OutputStream, &[u8]) + Send + Sync>;

/// Passes one stream to a [`LiveOutput`], and to the listener of the operation if the call is one.
pub(crate) struct LiveListener {
    stream: OutputStream,
    live: LiveOutput,
    inner: Option<Box<dyn OutputListener>>,
    /// Never cancelled: without an operation, nothing requests the stream.
    never: CancellationToken,
}

impl LiveListener {
    pub(crate) fn boxed(
        stream: OutputStream,
        live: &LiveOutput,
        inner: Option<Box<dyn OutputListener>>,
    ) -> Box<dyn OutputListener> {
        let never = CancellationToken::new();
        Box::new(Self { stream, live: Arc::clone(live), inner, never })
    }
}

impl OutputListener for LiveListener {
    fn on_output(&mut self, chunk: &[u8]) {
        (self.live)(self.stream, chunk);
        if let Some(inner) = &mut self.inner {
            inner.on_output(chunk);
        }
    }

    fn file_requested(&self) -> &CancellationToken {
        self.inner.as_ref().map_or(&self.never, |inner| inner.file_requested())
    }
}

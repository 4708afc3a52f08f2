//! The output of a program while it runs, for a person who waits for it.

use std::sync::Arc;

use process::{OutputListener, OutputStream};
use tokio_util::sync::CancellationToken;

/// Gets each chunk of output as it is read. It may be called from any thread.
pub type LiveOutput = Arc<dyn Fn(OutputStream, &[u8]) + Send + Sync>;

/// Hands one stream to a [`LiveOutput`], and to the listener of its operation, if it is one.
pub(crate) struct LiveListener {
    stream: OutputStream,
    live: LiveOutput,
    inner: Option<Box<dyn OutputListener>>,
    /// Never cancelled: a stream without an operation is requested by nothing.
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

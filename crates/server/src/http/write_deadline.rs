//! A connection that fails when its client stops reading.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// Timeout for a client to read any part of a response.
const WRITE_TIME: Duration = Duration::from_secs(30);

/// A connection whose writes fail if they make no progress for [`WRITE_TIME`]. Otherwise a client that
/// does not read keeps its connection, and the response to it, for ever.
pub(super) struct WriteDeadline<S> {
    stream: S,
    limit: Duration,
    /// Runs while a write waits.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteDeadline<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, limit: WRITE_TIME, timer: None }
    }

    /// Starts or stops the timer after an attempt to write.
    fn check<T>(
        &mut self,
        attempt: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        // Any progress counts, so that a slow client can receive a long response.
        if attempt.is_ready() {
            self.timer = None;
            return attempt;
        }
        let limit = self.limit;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteDeadline<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteDeadline<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let attempt = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check(attempt, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let attempt = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.check(attempt, context)
    }

    fn is_write_vectored(&self) -> bool {
        // Forwarded, or hyper would copy head and body of each response into one buffer.
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let attempt = Pin::new(&mut self.stream).poll_flush(context);
        self.check(attempt, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let attempt = Pin::new(&mut self.stream).poll_shutdown(context);
        self.check(attempt, context)
    }
}

#[cfg(test)]
mod tests {
    use std::{io, time::Duration};

    use tokio::io::AsyncWriteExt;

    use super::WriteDeadline;

    #[tokio::test]
    async fn a_write_that_makes_no_progress_fails() {
        let (_client, stream) = tokio::io::duplex(16);
        let limit = Duration::from_millis(20);
        let mut stream = WriteDeadline { limit, ..WriteDeadline::new(stream) };
        let written = stream.write_all(&[0; 64]).await;
        assert_eq!(written.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
    }
}

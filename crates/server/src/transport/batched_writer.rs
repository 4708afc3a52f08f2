//! Writes messages to a pipe, batched.

use std::{
    io,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use serde::Serialize;
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::Notify,
    time::timeout,
};

/// Bytes that may wait to be written before no more requests are read.
const MAX_PENDING_BYTES: usize = 4 << 20;

/// Timeout for a client to read anything while the backlog exceeds its limit.
const STALL_TIME: Duration = Duration::from_secs(30);

/// The client does not read what it asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stalled;

/// Writes messages to a pipe. Messages that become ready during a write go out together with the
/// next one, which saves most of the system calls under load.
pub(super) struct BatchedWriter<W> {
    ready: Mutex<Vec<u8>>,
    pipe: tokio::sync::Mutex<W>,
    /// Bytes of messages that were not written yet.
    pending: AtomicUsize,
    /// When the pipe last took something.
    progress: Mutex<Instant>,
    progressed: Notify,
    stall_time: Duration,
}

impl<W: AsyncWrite + Unpin> BatchedWriter<W> {
    pub(super) fn new(pipe: W) -> Self {
        Self {
            ready: Mutex::default(),
            pipe: tokio::sync::Mutex::new(pipe),
            pending: AtomicUsize::new(0),
            progress: Mutex::new(Instant::now()),
            progressed: Notify::new(),
            stall_time: STALL_TIME,
        }
    }

    /// Writes a message and returns when it is flushed.
    pub(super) async fn write(&self, message: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.enqueue(line);
        let mut pipe = self.pipe.lock().await;
        // Taken after the pipe is free, so that everything that became ready meanwhile goes along.
        let lines = std::mem::take(&mut *self.ready.lock());
        if lines.is_empty() {
            // The previous holder of the pipe has written this message with its own.
            return Ok(());
        }
        self.write_all(&mut pipe, &lines).await?;
        pipe.flush().await
    }

    /// Waits while too much is waiting to be written. Fails if the client has stopped reading.
    /// Cancel-safe: the time since the last progress counts, not the time in this call.
    pub(super) async fn wait_for_room(&self) -> Result<(), Stalled> {
        while self.pending.load(Ordering::Relaxed) > MAX_PENDING_BYTES {
            let idle = self.progress.lock().elapsed();
            let Some(left) = self.stall_time.checked_sub(idle) else {
                return Err(Stalled);
            };
            let _ = timeout(left, self.progressed.notified()).await;
        }
        Ok(())
    }

    /// Closes the pipe.
    pub(super) async fn close(&self) -> io::Result<()> {
        self.pipe.lock().await.shutdown().await
    }

    /// Like [`AsyncWriteExt::write_all`], but notes each part that the pipe takes.
    async fn write_all(&self, pipe: &mut W, mut bytes: &[u8]) -> io::Result<()> {
        // Nothing was waiting before, so the client had nothing to read.
        if self.pending.load(Ordering::Relaxed) == bytes.len() {
            *self.progress.lock() = Instant::now();
        }
        while !bytes.is_empty() {
            let count = pipe.write(bytes).await?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            bytes = &bytes[count..];
            self.pending.fetch_sub(count, Ordering::Relaxed);
            *self.progress.lock() = Instant::now();
            self.progressed.notify_one();
        }
        Ok(())
    }

    fn enqueue(&self, line: Vec<u8>) {
        self.pending.fetch_add(line.len(), Ordering::Relaxed);
        let mut ready = self.ready.lock();
        if ready.is_empty() {
            // Moves the line instead of copying it: the usual case.
            *ready = line;
        } else {
            ready.extend_from_slice(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use futures_util::FutureExt;
    use tokio::io::AsyncReadExt;

    use super::{BatchedWriter, MAX_PENDING_BYTES, Stalled};

    #[tokio::test]
    async fn waits_for_a_slow_reader_but_not_for_a_stalled_one() {
        let (mut client, output) = tokio::io::duplex(1 << 10);
        let stall_time = Duration::from_millis(200);
        let writer = Arc::new(BatchedWriter { stall_time, ..BatchedWriter::new(output) });
        assert_eq!(writer.wait_for_room().now_or_never(), Some(Ok(())));
        let message = "x".repeat(MAX_PENDING_BYTES);
        let writing = tokio::spawn({
            let writer = Arc::clone(&writer);
            async move { writer.write(&message).await }
        });
        let mut part = vec![0; 1 << 20];
        for _ in 0..2 {
            tokio::time::sleep(stall_time / 4).await;
            client.read_exact(&mut part).await.expect("an open pipe");
        }
        assert_eq!(writer.wait_for_room().await, Ok(()), "enough was read");
        let more = "x".repeat(MAX_PENDING_BYTES);
        let waiting = tokio::spawn({
            let writer = Arc::clone(&writer);
            async move { writer.write(&more).await }
        });
        tokio::task::yield_now().await;
        assert_eq!(writer.wait_for_room().await, Err(Stalled));
        writing.abort();
        waiting.abort();
    }
}

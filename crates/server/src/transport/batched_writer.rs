//! Writes messages to a pipe, batched.

use std::io;

use parking_lot::Mutex;
use serde::Serialize;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Writes messages to a pipe. Messages that become ready during a write go out together with the
/// next one, which saves most of the system calls under load.
pub(super) struct BatchedWriter<W> {
    ready: Mutex<Vec<u8>>,
    pipe: tokio::sync::Mutex<W>,
}

impl<W: AsyncWrite + Unpin> BatchedWriter<W> {
    pub(super) fn new(pipe: W) -> Self {
        Self { ready: Mutex::default(), pipe: tokio::sync::Mutex::new(pipe) }
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
        pipe.write_all(&lines).await?;
        pipe.flush().await
    }

    /// Closes the pipe.
    pub(super) async fn close(&self) -> io::Result<()> {
        self.pipe.lock().await.shutdown().await
    }

    fn enqueue(&self, line: Vec<u8>) {
        let mut ready = self.ready.lock();
        if ready.is_empty() {
            // Moves the line instead of copying it: the usual case.
            *ready = line;
        } else {
            ready.extend_from_slice(&line);
        }
    }
}

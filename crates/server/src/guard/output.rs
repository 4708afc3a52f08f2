//! Messages to a pipe. What is ready while another message is being written goes out with the
//! next write, all in one: under load that saves most of the system calls.

use std::io;

use parking_lot::Mutex;
use serde::Serialize;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Messages to a pipe.
pub(super) struct Output<W> {
    ready: Mutex<Vec<u8>>,
    pipe: tokio::sync::Mutex<W>,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    pub(super) fn new(pipe: W) -> Self {
        Self { ready: Mutex::default(), pipe: tokio::sync::Mutex::new(pipe) }
    }

    /// Writes a message; done when it is out.
    pub(super) async fn write(&self, message: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.enqueue(line);
        let mut pipe = self.pipe.lock().await;
        let lines = std::mem::take(&mut *self.ready.lock());
        if lines.is_empty() {
            // Whoever had the pipe before took this message along.
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
        match ready.is_empty() {
            true => *ready = line,
            false => ready.extend_from_slice(&line),
        }
    }
}

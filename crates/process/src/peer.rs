//! A program that exchanges messages over standard input and output, such as another MCP server.

use std::sync::Arc;

use tokio::{io::AsyncReadExt, task::JoinHandle};

use crate::{
    command::Command,
    launcher::{ChildProcess, ChildStdin, ChildStdout, LaunchError, Launcher},
};

/// Bytes that are kept from the end of standard error.
const STDERR_BYTES: usize = 4 * 1024;

/// A running peer. Dropping it kills it.
pub struct Peer {
    child: ChildProcess,
    stderr: JoinHandle<Vec<u8>>,
}

impl Peer {
    /// Starts the program. The command needs `stdin`, so that standard input is piped.
    pub async fn start(launcher: &Arc<Launcher>, command: Command) -> Result<Self, LaunchError> {
        let mut child = launcher.start(&Arc::new(command)).await?;
        let pipe = child.child.stderr.take();
        // Drained for as long as it runs: a peer blocks once this pipe is full.
        let stderr = tokio::spawn(async move {
            let (mut kept, mut chunk) = (Vec::new(), [0; 1024]);
            let Some(mut pipe) = pipe else {
                return kept;
            };
            while let Ok(read @ 1..) = pipe.read(&mut chunk).await {
                kept.extend_from_slice(&chunk[..read]);
                kept.drain(..kept.len().saturating_sub(STDERR_BYTES));
            }
            kept
        });
        Ok(Self { child, stderr })
    }

    /// Its standard output and input. `None` if they were taken before.
    pub fn streams(&mut self) -> Option<(ChildStdout, ChildStdin)> {
        self.child.child.stdout.take().zip(self.child.child.stdin.take())
    }

    /// Kills it and returns the end of its standard error, which may explain why it did not answer.
    pub async fn stop(self) -> String {
        self.child.kill().await;
        String::from_utf8_lossy(&self.stderr.await.unwrap_or_default()).into_owned()
    }
}

//! A program that somebody wants to talk to, by its standard input and output: another server, say.
//!
//! It is the user's own choice and runs with the user's rights, but with the environment that every child gets.

use std::sync::Arc;

use catalog::{ErrorType, Failure};
use tokio::{
    io::AsyncReadExt,
    process::{ChildStdin, ChildStdout},
    task::JoinHandle,
};

use crate::{Plan, Runtime, spawn::Running};

/// How much of what it says on standard error is kept.
const SAID: usize = 4 * 1024;

/// A program that is talked to. Dropped, it is ended.
pub struct Peer {
    running: Running,
    said: JoinHandle<Vec<u8>>,
}

impl Runtime {
    /// Starts a program: its name and its arguments.
    pub async fn start_peer(&self, command: &[String]) -> Result<Peer, Failure> {
        let plan = Arc::new(Plan::of_peer(&self.settings, command)?);
        let mut running = self.door.start(&plan, None).await.map_err(|error| {
            Failure::new(
                ErrorType::CannotStart,
                format!("`{}` could not be started: {error}", plan.program),
            )
        })?;
        let stderr = running.child.stderr.take();
        let said = tokio::spawn(async move {
            let (mut said, mut chunk) = (Vec::new(), [0; 1024]);
            let Some(mut stderr) = stderr else {
                return said;
            };
            while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
                said.extend_from_slice(&chunk[..read]);
                said.drain(..said.len().saturating_sub(SAID));
            }
            said
        });
        Ok(Peer { running, said })
    }
}

impl Peer {
    /// What it says and what it hears, once.
    pub fn streams(&mut self) -> Option<(ChildStdout, ChildStdin)> {
        self.running.child.stdout.take().zip(self.running.child.stdin.take())
    }

    /// Ends it. The end of what it said on standard error may say why it did not answer.
    pub async fn end(self) -> String {
        self.running.kill().await;
        String::from_utf8_lossy(&self.said.await.unwrap_or_default()).into_owned()
    }
}

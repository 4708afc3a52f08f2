//! Programs.

use std::{sync::Arc, time::Duration};

use catalog::Failure;
use fancy_regex::Regex;
use process::{Command, Finished, OutputBuffer, OutputStream, RunOptions, run_to_exit};
use tokio_util::sync::CancellationToken;

use crate::{
    Runtime, operations::LiveOperation, outputs::Spill, programs::cannot_start,
    progress::ProgressListener,
};

/// One run of a command.
pub(crate) struct CommandRun<'a> {
    pub(crate) command: &'a Arc<Command>,
    pub(crate) timeout: Duration,
    pub(crate) cancel: &'a CancellationToken,
    /// How much of each output stream is kept in memory.
    pub(crate) output_bytes: usize,
    /// The operation that it belongs to, and as which step.
    pub(crate) live: Option<(&'a Arc<LiveOperation>, &'a str)>,
    /// Finds progress in its output.
    pub(crate) pattern: Option<Arc<Regex>>,
}

impl Runtime {
    /// Runs a command to its end.
    pub(crate) async fn run_command(&self, run: CommandRun<'_>) -> Result<Finished, Failure> {
        let started = match run.live {
            Some((live, _)) => self.launcher.start_in(run.command, live.folder()).await,
            None => self.launcher.start(run.command).await,
        };
        let child = started.map_err(|error| cannot_start(&error))?;
        if let Some((live, _)) = run.live {
            live.running(child.leader());
        }
        let spill = match run.live {
            Some((live, step)) => {
                Spill::of_operation(&self.outputs, format!("{}{step}", live.id()))
            }
            None => Spill::new(&self.outputs),
        };
        let buffer = |stream| {
            let listener =
                run.live.map(|(live, _)| ProgressListener::boxed(live, run.pattern.as_ref()));
            OutputBuffer::new(stream, run.output_bytes, &spill).with_listener(listener)
        };
        let options = RunOptions {
            timeout: run.timeout,
            grace: self.settings.grace,
            cancel: run.cancel,
            stdout: buffer(OutputStream::Stdout),
            stderr: buffer(OutputStream::Stderr),
        };
        Ok(run_to_exit(child, run.command, options).await)
    }
}
